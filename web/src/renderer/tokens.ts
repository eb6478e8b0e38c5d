// The colours of the stage by meaning, read from the page's CSS custom properties.

const NAMES = {
  paper: '--paper',
  raised: '--paper-raised',
  sunken: '--paper-sunken',
  ink: '--ink',
  muted: '--muted',
  faint: '--faint',
  hairline: '--hairline',
  hairlineStrong: '--hairline-strong',
  forward: '--forward',
  forwardInk: '--forward-ink',
  forwardSoft: '--forward-soft',
  gradient: '--gradient',
  gradientInk: '--gradient-ink',
  gradientSoft: '--gradient-soft',
  gradientFill: '--gradient-fill',
  onGradient: '--on-gradient',
  saved: '--saved',
  savedInk: '--saved-ink',
  savedSoft: '--saved-soft',
  second: '--second',
  secondInk: '--second-ink',
  secondSoft: '--second-soft',
  error: '--error',
  errorInk: '--error-ink',
  errorSoft: '--error-soft',
  focus: '--focus',
  mono: '--font-mono',
} as const;

const GROUPS = ['--group', '--group-2', '--group-3'];

/** `groups` are the grounds of modules inside one another, in turn. */
export type ThemeTokens = Record<keyof typeof NAMES, string> & { groups: string[] };

/** The tokens, by what gives the value of a custom property. */
export function tokensBy(read: (property: string) => string): ThemeTokens {
  const entries = Object.entries(NAMES).map(([name, property]) => [name, read(property)]);
  return { ...Object.fromEntries(entries), groups: GROUPS.map(read) } as ThemeTokens;
}

/** The tokens as they are in force at an element. */
export function readTokens(element: Element): ThemeTokens {
  const style = getComputedStyle(element);
  return tokensBy((property) => style.getPropertyValue(property).trim());
}
