// The theme in force: the system's unless the user chose one, remembered between visits.

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'backscope.theme';
const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

/** The choice that a text names; null for anything else. */
export function readTheme(text: string | null): ThemeChoice | null {
  return CHOICES.find((choice) => choice === text) ?? null;
}

function remembered(): ThemeChoice {
  return readTheme(localStorage.getItem(KEY)) ?? 'system';
}

/** The user's choice and what it means now; writes `data-theme` on the root element. */
export class Theme {
  choice = $state<ThemeChoice>(remembered());
  #systemDark = $state(false);
  #moreContrast = $state(false);
  readonly #colours = new Map<string, string>();
  readonly dark = $derived(this.choice === 'system' ? this.#systemDark : this.choice === 'dark');
  /** Another value for each set of colours that can be in force. */
  readonly scheme = $derived(`${this.dark ? 'dark' : 'light'}${this.#moreContrast ? '-contrast' : ''}`);

  constructor() {
    this.#follow('(prefers-color-scheme: dark)', (matches) => (this.#systemDark = matches));
    this.#follow('(prefers-contrast: more), (forced-colors: active)', (matches) => (this.#moreContrast = matches));
    this.#apply();
  }

  /** Calls `change` with whether a media query matches, now and each time that this changes. */
  #follow(media: string, change: (matches: boolean) => void): void {
    const query = matchMedia(media);
    change(query.matches);
    query.addEventListener('change', () => {
      change(query.matches);
      this.#apply();
    });
  }

  /** Takes and remembers a choice. */
  choose(choice: ThemeChoice): void {
    this.choice = choice;
    localStorage.setItem(KEY, choice);
    this.#apply();
  }

  /** Takes a choice of the page around, for this time. */
  show(choice: ThemeChoice): void {
    this.choice = choice;
    this.#apply();
  }

  /** Switches between light and dark; choosing what the system says goes back to following it. */
  toggle(): void {
    const wanted = this.dark ? 'light' : 'dark';
    this.choose((wanted === 'dark') === this.#systemDark ? 'system' : wanted);
  }

  /** What is drawn depends on the theme in force: a colour by its name, `ink` for `--ink`. */
  colour(name: string): string {
    this.scheme;
    // Asking the style anew makes the page work out all that changed since.
    let colour = this.#colours.get(name);
    if (colour === undefined) {
      colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      this.#colours.set(name, colour);
    }
    return colour;
  }

  #apply(): void {
    this.#colours.clear();
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
  }
}

export const theme = new Theme();
