// <backscope-run>: a frame that plays a lesson or a recorded run, as high as it needs; its content is shown where the frame cannot be.

(() => {
  const home = document.currentScript?.src ? new URL(document.currentScript.src).origin : '';
  /** Browsers refuse longer addresses. */
  const MOST_TRACE_BYTES = 1_400_000;
  /** How long a frame that has loaded may take until it says how high it is: one that may not be shown says nothing. */
  const PATIENCE_MS = 2_500;
  /** A frame is opened this far before it comes into view, in pixels. */
  const AHEAD = 600;
  /** For a server that takes long to answer at all. */
  const LONG_PATIENCE_MS = 60_000;
  const STYLE = `
    :host { display: block }
    div { min-height: 360px }
    iframe { display: block; width: 100%; border: 0 }
    p { margin: 0 0 8px; font-style: italic }
    p:empty, p[hidden] { display: none }
    button { font: inherit; margin-right: 12px }`;

  /** An element with these properties and children; a page's policy may forbid to make it from text. */
  function made(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  function base64url(bytes) {
    let binary = '';
    for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  }

  class BackscopeRun extends HTMLElement {
    static observedAttributes = ['server', 'lesson', 'page', 'src', 'example', 'step', 'theme'];
    #frame = null;
    #trace = null;
    #heard = false;
    #failed = false;
    #timer = 0;
    /** Waits until the element is about to be seen; null from then on. */
    #watcher = null;
    /** Counts what was asked for; what an earlier one fetched is late. */
    #turn = 0;

    connectedCallback() {
      if (!this.shadowRoot) {
        const root = this.attachShadow({ mode: 'open' });
        const again = made('button', { type: 'button', onclick: () => void this.#open() }, 'Try again');
        const open = made('a', { target: '_blank', rel: 'noopener' }, 'Open in Backscope');
        // A page's policy may forbid style elements, but not a style sheet that a script makes.
        const style = new CSSStyleSheet();
        style.replaceSync(STYLE);
        root.adoptedStyleSheets = [style];
        root.append(
          made('p', { role: 'status' }),
          made('p', { className: 'ways', hidden: true }, again, open),
          made('div', {}, made('slot', {})),
        );
      }
      addEventListener('message', this);
      document.addEventListener('securitypolicyviolation', this);
      addEventListener('online', this);
      // Many frames on one page are opened as the reader comes to them; the first one fetches the player for all.
      this.#watcher = new IntersectionObserver(
        (entries) => {
          if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
          this.#watcher?.disconnect();
          this.#watcher = null;
          void this.#open();
        },
        { rootMargin: `${AHEAD}px` },
      );
      this.#watcher.observe(this);
    }

    disconnectedCallback() {
      removeEventListener('message', this);
      document.removeEventListener('securitypolicyviolation', this);
      removeEventListener('online', this);
      this.#watcher?.disconnect();
      this.#watcher = null;
      this.#turn += 1;
      clearTimeout(this.#timer);
      this.#frame?.remove();
      this.#frame = null;
    }

    attributeChangedCallback(name, before, now) {
      if (!this.isConnected || !this.shadowRoot || this.#watcher || before === now) return;
      if (this.#failed || !['page', 'step', 'theme'].includes(name)) void this.#open();
      else if (this.#frame) this.#frame.src = this.#address();
    }

    /** What a screen reader calls the frame: its title, the name of its lesson or example in words, else what it is. */
    get #title() {
      const words = (name) => this.getAttribute(name)?.replace(/^\d+_/, '').replaceAll(/[_-]/g, ' ');
      const lesson = words('lesson');
      // The name of a collected lesson begins with `-` and has no words.
      const called = lesson?.startsWith(' ') ? 'a lesson' : `a lesson, ${lesson}`;
      const what = lesson ? called : `${words('example') ?? 'a recorded run'}, step by step`;
      return this.getAttribute('title') ?? `Backscope: ${what}`;
    }

    get #ways() {
      return this.shadowRoot.querySelector('.ways');
    }

    get #server() {
      return new URL(this.getAttribute('server') ?? home, document.baseURI).origin;
    }

    async #open() {
      this.#turn += 1;
      const turn = this.#turn;
      this.#failed = false;
      this.#ways.hidden = true;
      clearTimeout(this.#timer);
      const src = this.getAttribute('src');
      let trace = null;
      try {
        if (src !== null) trace = await this.#fetch(src);
      } catch (error) {
        if (turn === this.#turn && !this.#failed)
          this.#fail(`The recording could not be loaded: ${error instanceof Error ? error.message : error}`);
        return;
      }
      if (!this.isConnected || turn !== this.#turn) return;
      this.#trace = trace;
      this.#heard = false;
      this.#frame?.remove();
      const frame = document.createElement('iframe');
      frame.title = this.#title;
      frame.setAttribute('referrerpolicy', 'no-referrer');
      frame.loading = 'lazy';
      // Seen, but without height, until it says how high it is.
      frame.style.height = '0';
      const patience = (milliseconds) => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          if (!this.#heard && !this.#failed) this.#say(this.#refusal());
        }, milliseconds);
      };
      patience(LONG_PATIENCE_MS);
      frame.addEventListener('load', () => patience(PATIENCE_MS));
      frame.src = this.#address();
      this.#frame = frame;
      this.shadowRoot.append(frame);
    }

    /** Why nothing came from the server, and what to do. */
    #refusal() {
      const here = location.origin === 'null' ? 'a page without an origin' : location.origin;
      return `The run could not be shown: ${this.#server} does not answer, or does not let ${here} show it in a frame. Whoever runs that server can allow it with BACKSCOPE_EMBED_FROM.`;
    }

    async #fetch(src) {
      const answer = await fetch(new URL(src, document.baseURI));
      if (!answer.ok) throw new Error(`${src} answers ${answer.status}.`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (bytes.length > MOST_TRACE_BYTES)
        throw new Error(`${src} is larger than 1.4 MB. Link to its web page instead.`);
      return base64url(bytes);
    }

    #address() {
      const fields = new URLSearchParams();
      const lesson = this.getAttribute('lesson');
      const page = this.getAttribute('page');
      const example = this.getAttribute('example');
      if (lesson) fields.set('lesson', lesson);
      else if (this.#trace) fields.set('trace', this.#trace);
      else if (example) fields.set('example', example);
      else fields.set('source', (this.querySelector('pre, script, template') ?? this).textContent.trim());
      const step = this.getAttribute('step');
      const theme = this.getAttribute('theme');
      if (lesson && page) fields.set('page', page);
      if (step) fields.set('step', step);
      if (theme) fields.set('theme', theme);
      return `${this.#server}/embed#${fields}`;
    }

    /** Says which rule of the page's own policy blocks the frame or its recording. */
    #explainBlock({ effectiveDirective, blockedURI }) {
      const src = this.getAttribute('src');
      const isFrame = effectiveDirective === 'frame-src' && this.#frame !== null && blockedURI.startsWith(this.#server);
      const isTrace =
        effectiveDirective === 'connect-src' && src !== null && new URL(src, document.baseURI).href === blockedURI;
      if (!isFrame && !isTrace) return;
      const [what, from] = isFrame ? ['frames', this.#server] : ['recordings', new URL(blockedURI).origin];
      this.#fail(
        `The run could not be shown: the policy of this page blocks ${what} from ${from}. Whoever writes the page can allow them with ${effectiveDirective} ${from} in its Content-Security-Policy.`,
      );
    }

    handleEvent(event) {
      const { type, source, origin, data } = event;
      if (type === 'securitypolicyviolation') return this.#explainBlock(event);
      if (type === 'online') {
        if (this.#failed) void this.#open();
        return;
      }
      if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#server) return;
      const height = data?.type === 'backscope:height' ? Number(data.height) : Number.NaN;
      if (!(height > 0 && height < 5000)) return;
      this.#heard = true;
      this.#failed = false;
      clearTimeout(this.#timer);
      this.#frame.style.height = `${Math.round(height)}px`;
      this.shadowRoot.querySelector('div').style.display = 'none';
      this.shadowRoot.querySelector('p').textContent = '';
      this.#ways.hidden = true;
    }

    /** Ends what was asked for, and says why. */
    #fail(reason) {
      this.#say(reason);
      this.#frame?.remove();
      this.#frame = null;
    }

    /** The page of Backscope that has what the frame was to show; a recording of the author's is only here. */
    #elsewhere() {
      const fields = new URLSearchParams();
      for (const name of ['lesson', 'page', 'example'])
        if (this.getAttribute(name)) fields.set(name, this.getAttribute(name));
      return `${this.#server}/#${fields}`;
    }

    /** Shows a text in the frame's place; a frame that answers later is shown after all. */
    #say(reason) {
      this.#failed = true;
      this.#ways.hidden = false;
      this.#ways.querySelector('a').href = this.#elsewhere();
      clearTimeout(this.#timer);
      // Room is kept for a frame that is still to come.
      Object.assign(this.shadowRoot.querySelector('div').style, { display: '', minHeight: '0' });
      this.shadowRoot.querySelector('p').textContent = reason;
    }
  }

  if (!customElements.get('backscope-run')) customElements.define('backscope-run', BackscopeRun);
})();
