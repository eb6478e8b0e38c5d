// Protects: over lost connections nothing is lost or doubled, stopping works at any time, and refusals end it with a reason.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../protocol/events';
import { type ConnectionStatus, RunConnection } from './connection';

class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: unknown[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((closing: { code: number; reason: string }) => void) | null = null;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.readyState = 3;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  says(message: unknown) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  breaks(code = 1006, reason = '') {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

const events = (from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, i) => ({ kind: 'output_printed', seq: from + i, line: 1, stream: 'stdout', text: '' }) as Event,
  );

let seen: number[];
let statuses: ConnectionStatus[];
const sink = {
  events: (batch: Event[]) => seen.push(...batch.map((event) => event.seq)),
  status: (status: ConnectionStatus) => statuses.push(status),
};
const latest = () => FakeSocket.all.at(-1)!;

beforeEach(() => {
  FakeSocket.all = [];
  seen = [];
  statuses = [];
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function started(): RunConnection {
  const connection = RunConnection.run({ source: 'x', seed: 1 }, sink);
  latest().open();
  latest().says({ session: 'abc' });
  return connection;
}

describe('a run', () => {
  it('sends the program and delivers its events to the end', () => {
    started();
    expect(latest().url).toMatch(/^ws.*\/api\/run$/);
    expect(latest().sent).toEqual([{ command: 'run', source: 'x', seed: 1 }]);
    latest().says({ events: events(0, 2), last: 2 });
    latest().says({ end: true, last: 2 });
    expect(seen).toEqual([0, 1, 2]);
    expect(statuses.map((status) => status.state)).toEqual(['connecting', 'live', 'ended']);
    expect(statuses.at(-1)).toEqual({ state: 'ended', session: 'abc' });
  });

  it('goes on where it was after a lost connection', () => {
    started();
    latest().says({ events: events(0, 4), last: 4 });
    latest().breaks();
    expect(statuses.at(-1)).toMatchObject({ state: 'lost', attempt: 1, session: 'abc' });
    vi.advanceTimersByTime(200);
    expect(FakeSocket.all).toHaveLength(2);
    expect(latest().url).toMatch(/\/api\/sessions\/abc\/events\?after=4$/);
    latest().breaks();
    vi.advanceTimersByTime(499);
    expect(FakeSocket.all).toHaveLength(2);
    vi.advanceTimersByTime(1);
    latest().open();
    expect(statuses.at(-1)?.state).toBe('live');
    latest().says({ events: events(3, 6), last: 6 });
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('asks again for events that are missing', () => {
    started();
    latest().says({ events: events(0, 1), last: 1 });
    latest().says({ events: events(3, 4), last: 4 });
    vi.advanceTimersByTime(200);
    expect(latest().url).toMatch(/after=1$/);
    latest().open();
    latest().says({ events: events(2, 4), last: 4 });
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  it('stops, also when it was not connected at that moment', () => {
    const connection = started();
    latest().breaks();
    connection.stop();
    vi.advanceTimersByTime(200);
    latest().open();
    expect(latest().sent).toEqual([{ command: 'stop' }]);
    connection.stop();
    expect(latest().sent).toHaveLength(2);
  });

  it('gives up after many attempts, with a reason', () => {
    started();
    for (let i = 0; i < 13; i += 1) {
      latest().breaks();
      vi.advanceTimersByTime(10_000);
    }
    expect(statuses.at(-1)).toMatchObject({ state: 'ended', reason: expect.stringContaining('has not answered') });
  });

  it('says so when the server was never there', () => {
    RunConnection.run({ source: '' }, sink);
    latest().breaks();
    expect(statuses.at(-1)).toMatchObject({ state: 'ended', reason: expect.stringContaining('cannot be reached') });
  });

  it('is silent after it was closed', () => {
    const connection = started();
    const socket = latest();
    connection.close();
    socket.says({ events: events(0, 0), last: 0 });
    socket.breaks();
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual([]);
    expect(FakeSocket.all).toHaveLength(1);
  });
});

describe('following a session', () => {
  it('begins with its first event', () => {
    RunConnection.follow('a/b', sink);
    expect(latest().url).toMatch(/\/api\/sessions\/a%2Fb\/events\?after=-1$/);
    latest().open();
    expect(latest().sent).toEqual([]);
    expect(statuses.at(-1)).toEqual({ state: 'live', session: 'a/b' });
  });

  it('ends at once where the server refuses', () => {
    RunConnection.follow('gone', sink);
    latest().open();
    latest().says({ error: { message: 'There is no session gone.' } });
    latest().breaks(4404, 'There is no');
    vi.advanceTimersByTime(10_000);
    expect(statuses.at(-1)).toEqual({ state: 'ended', session: 'gone', reason: 'There is no session gone.' });
    expect(FakeSocket.all).toHaveLength(1);
  });
});
