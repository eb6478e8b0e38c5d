// <backscope-run>: a frame that plays a recorded run, as high as it needs; what stands inside is shown where it cannot.

(() => {
  const home = document.currentScript?.src ? new URL(document.currentScript.src).origin : '';
  /** Browsers refuse longer addresses. */
  const MOST_TRACE_BYTES = 1_400_000;
  /** How long a frame that has loaded may take until it says how high it is: one that may not be shown says nothing. */
  const PATIENCE_MS = 2_500;
  /** For a server that takes long to answer at all. */
  const LONG_PATIENCE_MS = 60_000;

  function base64url(bytes) {
    let binary = '';
    for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  }

  class BackscopeRun extends HTMLElement {
    static observedAttributes = ['server', 'src', 'example', 'step', 'theme'];
    #frame = null;
    #trace = null;
    #heard = false;
    #failed = false;
    #timer = 0;
    /** Counts what was asked for; what an earlier one fetched is late. */
    #turn = 0;

    connectedCallback() {
      if (!this.shadowRoot) {
        this.attachShadow({ mode: 'open' }).innerHTML =
          '<style>:host{display:block}iframe{display:block;width:100%;border:0}iframe[hidden]{display:none}' +
          'p{margin:0 0 8px;font-style:italic}p:empty,button[hidden]{display:none}button{font:inherit}</style>' +
          '<p role="status"></p><button type="button" hidden>Try again</button><slot></slot>';
        this.shadowRoot.querySelector('button').addEventListener('click', () => void this.#open());
      }
      addEventListener('message', this);
      addEventListener('online', this);
      void this.#open();
    }

    disconnectedCallback() {
      removeEventListener('message', this);
      removeEventListener('online', this);
      this.#turn += 1;
      clearTimeout(this.#timer);
      this.#frame?.remove();
      this.#frame = null;
    }

    attributeChangedCallback(name, before, now) {
      if (!this.isConnected || !this.shadowRoot || before === now) return;
      if (this.#failed || (name !== 'step' && name !== 'theme')) void this.#open();
      else if (this.#frame) this.#frame.src = this.#address();
    }

    /** What a screen reader calls the frame: its title, the name of its example in words, else what it is. */
    get #title() {
      const words = this.getAttribute('example')?.replace(/^\d+_/, '').replaceAll('_', ' ');
      return (
        this.getAttribute('title') ?? `Backscope: ${words ? `${words}, step by step` : 'a recorded run, step by step'}`
      );
    }

    get #server() {
      return new URL(this.getAttribute('server') ?? home, document.baseURI).origin;
    }

    async #open() {
      this.#turn += 1;
      const turn = this.#turn;
      this.#failed = false;
      this.shadowRoot.querySelector('button').hidden = true;
      clearTimeout(this.#timer);
      const src = this.getAttribute('src');
      let trace = null;
      try {
        if (src !== null) trace = await this.#fetch(src);
      } catch (error) {
        if (turn === this.#turn)
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
      // Seen, but without height, until it says how high it is.
      frame.style.height = '0';
      const patience = (milliseconds) => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          if (!this.#heard) this.#say(this.#refusal());
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
      const example = this.getAttribute('example');
      if (this.#trace) fields.set('trace', this.#trace);
      else if (example) fields.set('example', example);
      else fields.set('source', (this.querySelector('pre, script, template') ?? this).textContent.trim());
      const step = this.getAttribute('step');
      const theme = this.getAttribute('theme');
      if (step) fields.set('step', step);
      if (theme) fields.set('theme', theme);
      return `${this.#server}/embed#${fields}`;
    }

    handleEvent({ type, source, origin, data }) {
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
      this.shadowRoot.querySelector('slot').style.display = 'none';
      this.shadowRoot.querySelector('p').textContent = '';
      this.shadowRoot.querySelector('button').hidden = true;
    }

    /** Ends what was asked for, and says why. */
    #fail(reason) {
      this.#say(reason);
      this.#frame?.remove();
      this.#frame = null;
    }

    /** Shows a text in the frame's place; a frame that answers later is shown after all. */
    #say(reason) {
      this.#failed = true;
      this.shadowRoot.querySelector('button').hidden = false;
      clearTimeout(this.#timer);
      this.shadowRoot.querySelector('slot').style.display = '';
      this.shadowRoot.querySelector('p').textContent = reason;
    }
  }

  if (!customElements.get('backscope-run')) customElements.define('backscope-run', BackscopeRun);
})();
