// The WebSocket to one run: it sends the program, delivers every event once and in order, and reconnects by itself.

import type { Event } from '../protocol/events';

export type ConnectionStatus = {
  state: 'connecting' | 'live' | 'lost' | 'ended';
  session?: string;
  /** Which attempt to reconnect is under way, from 1. */
  attempt?: number;
  /** Why the connection ended or was lost, in words for the reader. */
  reason?: string;
};

export type EventSink = { events(batch: Event[]): void; status(status: ConnectionStatus): void };
export type Program = { source: string; filename?: string; seed?: number };

type Message = { session?: string; events?: Event[]; last?: number; end?: boolean; error?: { message: string } };

/** Waits between attempts, in milliseconds: at once for a blink of the network, then with patience. */
const BACKOFF_MS = [200, 500, 1000, 2000, 4000, 8000];
const MOST_ATTEMPTS = 12;
const REFUSED = 4400;

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

  private constructor(
    private readonly sink: EventSink,
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

  /** Ends the connection without another word; the program runs on. */
  close(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  #open(): void {
    const session = this.#session;
    const path = session ? `/api/sessions/${encodeURIComponent(session)}/events?after=${this.#last}` : '/api/run';
    this.#tell({ state: this.#attempt > 0 ? 'lost' : 'connecting' });
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`);
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      if (!session) socket.send(JSON.stringify({ command: 'run', ...this.program }));
      else this.#goLive();
    };
    socket.onmessage = (message) => {
      if (socket === this.#socket) this.#read(JSON.parse(String(message.data)) as Message);
    };
    socket.onclose = (closing) => {
      if (socket === this.#socket) this.#closed(closing.code, closing.reason);
    };
  }

  #goLive(): void {
    this.#attempt = 0;
    this.#tell({ state: 'live' });
    if (this.#stopping) this.#sendStop();
  }

  #read(message: Message): void {
    if (message.error) this.#refusal = message.error.message;
    if (message.session) {
      this.#session = message.session;
      this.#goLive();
    }
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
        this.sink.events(fresh);
      }
    }
    if (message.end) {
      const socket = this.#socket;
      this.#end(undefined);
      socket?.close(1000);
    }
  }

  #closed(code: number, reason: string): void {
    if (this.#over) return;
    this.#socket = null;
    if (code >= REFUSED && code < 4500) {
      this.#end(this.#refusal ?? (reason || `The server refused the connection (${code}).`));
      return;
    }
    if (!this.#session) {
      this.#end(
        this.#refusal ?? 'The server cannot be reached, so the program did not start. Start it, then run again.',
      );
      return;
    }
    this.#attempt += 1;
    if (this.#attempt > MOST_ATTEMPTS) {
      this.#end('The server has not answered for a while, so the rest of this run is missing. Run the program again.');
      return;
    }
    this.#tell({ state: 'lost', reason: 'The connection was lost. Reconnecting; nothing is missed.' });
    const wait = BACKOFF_MS[Math.min(this.#attempt, BACKOFF_MS.length) - 1]!;
    this.#timer = setTimeout(() => this.#open(), wait);
  }

  #end(reason: string | undefined): void {
    this.#over = true;
    this.#socket = null;
    this.#tell(reason === undefined ? { state: 'ended' } : { state: 'ended', reason });
  }

  #sendStop(): void {
    if (this.#session && this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify({ command: 'stop' }));
    }
  }

  #tell(status: ConnectionStatus): void {
    const full: ConnectionStatus = { ...status };
    if (this.#session) full.session = this.#session;
    if (this.#attempt > 0 && status.state === 'lost') full.attempt = this.#attempt;
    this.sink.status(full);
  }
}
