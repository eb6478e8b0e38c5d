// Media queries as reactive state: a narrow page, the system's wish for no motion.

/** A media query as reactive state. */
export class Media {
  matches = $state(false);

  constructor(query: string) {
    const list = matchMedia(query);
    this.matches = list.matches;
    list.addEventListener('change', () => {
      this.matches = list.matches;
    });
  }
}

export const narrow = new Media('(max-width: 859px)');
/** A narrow page that is also low: a phone on its side, or a window at twice the size. */
export const low = new Media('(max-width: 859px) and (max-height: 559px) and (orientation: landscape)');
/** A narrow page that stands upright and is low: a small phone, a frame in somebody's page. */
export const short = new Media('(max-width: 859px) and (max-height: 639px) and (orientation: portrait)');
/** A page with room for words beside the icons of the stage. */
export const roomy = new Media('(min-width: 1440px)');
/** A page whose stage has little width between the other rooms. */
export const cramped = new Media('(max-width: 1359px)');
/** A page as narrow as a phone. */
export const thin = new Media('(max-width: 559px)');
/** A page whose stage is as narrow as a phone: all of its width there, or beside the code or the steps. */
export const slim = new Media('(max-width: 559px), (max-width: 859px) and (orientation: landscape)');
/** A page that is higher than wide. */
export const upright = new Media('(max-aspect-ratio: 1/1)');
export const reducedMotion = new Media('(prefers-reduced-motion: reduce)');
