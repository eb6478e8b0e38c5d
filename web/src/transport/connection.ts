// The WebSocket to one run: it sends the program, delivers every event once and in order, and reconnects by itself.

import * as say from '../messages/connection';
import type { Answer, Command, Event, SetBreakpoints } from '../protocol/events';
import { encodeBase64Url } from './base64url';
import type { Notice } from './notice';

export type ConnectionStatus = {
  state: 'connecting' | 'live' | 'lost' | 'ended';
  session?: string;
  /** Which attempt to reconnect is under way, from 1. */
  attempt?: number;
  /** Why the connection ended or was lost, in words for the reader. */
  reason?: string;
  /** The server answered, and did not let the program run or the session be followed: the code that it closed with. */
  refused?: number;
  /** The server does not have the session any more. */
  gone?: boolean;
  /** Why the server could not keep the run on disk. */
  unkept?: string;
};

export type EventSink = {
  /** `nbytes`: about as long as their text is. */
  events(batch: Event[], nbytes: number): void;
  status(status: ConnectionStatus): void;
  /** All that holds now, beside the events. */
  notices(now: Notice[]): void;
  /** The answer to what the program was asked before it began. */
  opened?(answer: Answer): void;
};
/** What is run; `pause` stops before its first line, `fresh` runs it even if the server has a run of it. */
export type Program = {
  source: string;
  filename?: string;
  seed?: number;
  breakpoints?: SetBreakpoints['breakpoints'];
  pause?: boolean;
  fresh?: boolean;
};

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
/** A command of the debugger; the connection gives it its id. */
export type Ask = WithoutId<Command>;

type Message = {
  answer?: Answer['answer'];
  session?: string;
  events?: Event[];
  last?: number;
  end?: boolean;
  unkept?: string;
  notices?: Notice[];
  error?: { message: string; retry_after?: number };
};

/** Waits between attempts, in milliseconds: at once for a blink of the network, then with patience. */
const BACKOFF_MS = [200, 500, 1000, 2000, 4000, 8000];
const MOST_ATTEMPTS = 40;
const REFUSED = 4400;
/** Codes of a server that is at fault or busy begin here; they end a run as well. */
const REFUSED_END = 4600;
const GONE = 4404;
/** How often a server that is busy is asked again, each time after as long as it said. */
const MOST_RETRIES = 20;

/** A sink that drops what it is given. */
const SILENT: EventSink = { events() {}, status() {}, notices() {} };

/** Has the server stop and remove a session. */
export function removeSession(session: string): void {
  const address = `/api/sessions/${encodeURIComponent(session)}`;
  // Where the server is gone, or removed it before, nothing is left to be done.
  void fetch(address, { method: 'DELETE', keepalive: true }).catch(() => {});
}

/** A name for a start: when the answer to it is lost, asking again with it gives the same run. */
function newKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(18)));
}

/** One run being followed. */
export class RunConnection {
  #socket: WebSocket | null = null;
  #session: string | null;
  #last = -1;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;
  #stopping = false;
  #refusal: string | undefined;
  #retryAfter: number | undefined;
  #retries = 0;
  #finished = false;
  /** The server may have begun to run the program, and its answer was lost. */
  #asked = false;
  /** The server refused the program for now: nothing of it runs. */
  #refused = false;
  #discarded = false;
  readonly #key = newKey();
  /** Those who wait for an answer, by the id of their command. */
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  /** The next id; 0 is that of what was asked with the program. */
  #id = 1;

  private constructor(
    private sink: EventSink,
    private readonly program: Program | null,
    session: string | null,
  ) {
    this.#session = session;
    this.#open();
  }

  /** Starts a program and follows its events. */
  static run(program: Program, sink: EventSink): RunConnection {
    return new RunConnection(sink, program, null);
  }

  /** Follows a session that the server has, from its first event. */
  static follow(session: string, sink: EventSink): RunConnection {
    return new RunConnection(sink, null, session);
  }

  /** Asks the server to end the program; its last events still arrive. */
  stop(): void {
    if (this.#over) return;
    this.#stopping = true;
    this.#sendStop();
  }

  /** Sends the server a sign that the page is open, so that a paused run goes on waiting. */
  stay(): void {
    this.#command('stay');
  }

  /** Asks the program's debugger something; what cannot be asked is refused, with the reason. */
  ask(command: Ask): Promise<Answer> {
    const id = this.#id;
    this.#id += 1;
    if (this.#over) return Promise.resolve({ answer: 'refused', id, reason: say.theProgramHasFinished });
    if (!this.#session || this.#socket?.readyState !== WebSocket.OPEN) {
      return Promise.resolve({ answer: 'refused', id, reason: say.noConnection });
    }
    this.#socket.send(JSON.stringify({ ...command, id }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #giveUp(reason: string): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [id, resolve] of waiting) resolve({ answer: 'refused', id, reason });
  }

  /** Ends the connection without another word; the program runs on. */
  close(): void {
    this.#over = true;
    this.#giveUp(say.theRunWasLeft);
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  /** Ends the run and has the server remove it, as soon as its session is known; nothing more is delivered. */
  discard(): void {
    this.sink = SILENT;
    this.#discarded = true;
    if (!this.#session && this.#asked && !this.#refused && !this.#over) return;
    this.close();
    if (this.#session) removeSession(this.#session);
  }

  #open(): void {
    this.#refused = false;
    const session = this.#session;
    const path = session ? `/api/sessions/${encodeURIComponent(session)}/events?after=${this.#last}` : '/api/run';
    this.#publish({ state: this.#attempt > 0 ? 'lost' : 'connecting' });
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`);
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      if (session) {
        this.#goLive();
        return;
      }
      this.#asked = true;
      socket.send(JSON.stringify({ command: 'run', key: this.#key, ...this.program }));
    };
    socket.onmessage = (message) => {
      const text = String(message.data);
      if (socket === this.#socket) this.#read(JSON.parse(text) as Message, text.length);
    };
    socket.onclose = (closing) => {
      if (socket === this.#socket) this.#closed(closing.code, closing.reason);
    };
  }

  #goLive(): void {
    this.#attempt = 0;
    this.#publish({ state: 'live' });
    if (this.#stopping) this.#sendStop();
  }

  #read(message: Message, nbytes: number): void {
    if (message.answer) {
      const answer = message as Answer;
      if (answer.id === 0) this.sink.opened?.(answer);
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
      return;
    }
    if (message.error) {
      this.#refusal = message.error.message;
      this.#retryAfter = message.error.retry_after;
    }
    if (message.session) {
      this.#session = message.session;
      if (this.#discarded) {
        this.discard();
        return;
      }
      this.#goLive();
    }
    if (message.notices) this.sink.notices(message.notices);
    if (message.events) {
      const fresh = message.events.filter((event) => event.seq > this.#last);
      const first = fresh[0];
      // A gap would fold into a wrong state, so the missing events are asked for again.
      if (first && first.seq !== this.#last + 1) {
        this.#socket?.close(1000);
        this.#closed(1006, '');
        return;
      }
      if (first) {
        this.#last = fresh.at(-1)!.seq;
        this.#finished = fresh.at(-1)!.kind === 'program_finished';
        this.sink.events(fresh, nbytes);
      }
    }
    if (message.end) {
      const socket = this.#socket;
      const cut = !this.#finished && (message.last ?? -1) < this.#last;
      this.#end(cut ? say.serverRestarted : undefined, {
        ...(message.unkept === undefined ? {} : { unkept: message.unkept }),
      });
      socket?.close(1000);
    }
  }

  #closed(code: number, reason: string): void {
    if (this.#over) return;
    this.#socket = null;
    this.#giveUp(say.lostBeforeAnswer);
    if (code >= REFUSED && code < REFUSED_END) {
      const why = this.#refusal ?? (reason || `Refused (${code}).`);
      if (this.#retryAfter !== undefined && this.#retries < MOST_RETRIES && !this.#discarded) {
        this.#tryLater(why, this.#retryAfter);
        return;
      }
      this.#end(why, { refused: code, gone: code === GONE });
      return;
    }
    if (!this.#session && !this.#asked) {
      if (this.#refusal === undefined) void this.#explain();
      else this.#end(this.#refusal);
      return;
    }
    this.#attempt += 1;
    if (this.#attempt > MOST_ATTEMPTS) {
      this.#end(say.runTailMissing);
      return;
    }
    this.#publish({ state: 'lost', reason: say.reconnecting });
    const wait = BACKOFF_MS[Math.min(this.#attempt, BACKOFF_MS.length) - 1]!;
    this.#timer = setTimeout(() => this.#open(), wait);
  }

  #tryLater(reason: string, seconds: number): void {
    this.#retries += 1;
    this.#retryAfter = undefined;
    this.#refused = true;
    this.#timer = setTimeout(() => {
      this.sink.notices([]);
      this.#open();
    }, seconds * 1000);
    // The sink may close the connection, which must clear this timer.
    this.sink.notices([{ kind: 'refused', reason, seconds_left: seconds }]);
  }

  /** Ends a run that never began with the reason: a browser does not say why a WebSocket was not accepted. */
  async #explain(): Promise<void> {
    const answers = await fetch('/api/health').then(
      (answer) => answer.ok,
      () => false,
    );
    if (this.#over) return;
    this.#end(answers ? say.addressRefused : say.programNotStarted);
  }

  #end(reason: string | undefined, more: Pick<ConnectionStatus, 'gone' | 'unkept' | 'refused'> = {}): void {
    this.#over = true;
    this.#socket = null;
    this.#giveUp(say.theProgramHasFinished);
    const status: ConnectionStatus = { state: 'ended' };
    if (reason !== undefined) status.reason = reason;
    if (more.refused !== undefined) status.refused = more.refused;
    if (more.gone) status.gone = true;
    if (more.unkept !== undefined) status.unkept = more.unkept;
    this.#publish(status);
  }

  #sendStop(): void {
    this.#command('stop');
  }

  #command(command: 'stop' | 'stay'): void {
    if (this.#session && this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify({ command }));
    }
  }

  #publish(status: ConnectionStatus): void {
    const full: ConnectionStatus = { ...status };
    if (this.#session) full.session = this.#session;
    if (this.#attempt > 0 && status.state === 'lost') full.attempt = this.#attempt;
    this.sink.status(full);
  }
}
