// Protects: over lost connections nothing is lost or doubled, stopping works at any time, and refusals end it with a reason.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer, Event } from '../protocol/events';
import { type ConnectionStatus, RunConnection } from './connection';
import type { Notice } from './notice';

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
let notices: Notice[][];
const sink = {
  events: (batch: Event[]) => seen.push(...batch.map((event) => event.seq)),
  status: (status: ConnectionStatus) => statuses.push(status),
  notices: (now: Notice[]) => notices.push(now),
};
const latest = () => FakeSocket.all.at(-1)!;

beforeEach(() => {
  FakeSocket.all = [];
  seen = [];
  statuses = [];
  notices = [];
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
    expect(latest().sent).toEqual([
      { command: 'run', key: expect.stringMatching(/^[\w-]{24}$/), source: 'x', seed: 1 },
    ]);
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
    for (let i = 0; i < 41; i += 1) {
      latest().breaks();
      vi.advanceTimersByTime(10_000);
    }
    expect(statuses.at(-1)).toMatchObject({ state: 'ended', reason: expect.stringContaining('has not answered') });
  });

  it.each([
    ['the server was never there', () => Promise.reject(new TypeError()), 'cannot be reached'],
    ['the server refuses the page', () => Promise.resolve({ ok: true }), 'lets no program in'],
  ])('says so when %s', async (_, health, text) => {
    vi.stubGlobal('fetch', health);
    RunConnection.run({ source: '' }, sink);
    latest().breaks();
    await vi.waitFor(() =>
      expect(statuses.at(-1)).toMatchObject({ state: 'ended', reason: expect.stringContaining(text) }),
    );
  });

  it('passes on what the server says beside the events', () => {
    const connection = started();
    const waiting: Notice = { kind: 'waiting', place: 3, waiting: 7 };
    latest().says({ notices: [waiting] });
    latest().says({ notices: [] });
    expect(notices).toEqual([[waiting], []]);
    connection.stay();
    expect(latest().sent.at(-1)).toEqual({ command: 'stay' });
  });

  it('gives each command its id and each answer to who asked', async () => {
    const connection = RunConnection.run(
      { source: 'x', breakpoints: [{ on: 'line', id: 3, line: 1 }], pause: true },
      { ...sink, opened: (answer) => opened.push(answer) },
    );
    const opened: Answer[] = [];
    expect(await connection.ask({ command: 'pause' })).toMatchObject({ answer: 'refused' });
    latest().open();
    expect(latest().sent[0]).toMatchObject({ breakpoints: [{ on: 'line', id: 3, line: 1 }], pause: true });
    latest().says({ session: 'abc' });
    latest().says({ answer: 'done', id: 0 });
    expect(opened).toEqual([{ answer: 'done', id: 0 }]);
    const evaluated = connection.ask({ command: 'evaluate', expression: 'x' });
    const resumed = connection.ask({ command: 'resume' });
    const [first, second] = latest().sent.slice(-2) as { id: number }[];
    latest().says({ answer: 'done', id: second!.id });
    latest().says({ answer: 'refused', id: first!.id, reason: 'no' });
    expect(await resumed).toMatchObject({ answer: 'done' });
    expect(await evaluated).toMatchObject({ reason: 'no' });
    const late = connection.ask({ command: 'resume' });
    latest().breaks();
    expect(await late).toMatchObject({ answer: 'refused', reason: expect.stringContaining('connection was lost') });
    connection.close();
    expect(await connection.ask({ command: 'resume' })).toMatchObject({ answer: 'refused' });
  });

  it.each([4401, 4408, 4413, 4429, 4503])('ends with the reason and does not try again when closed with %i', (code) => {
    RunConnection.run({ source: '' }, sink);
    latest().open();
    latest().says({ error: { message: 'Not now.' } });
    latest().breaks(code, 'Not now.');
    vi.advanceTimersByTime(60_000);
    expect(statuses.at(-1)).toEqual({ state: 'ended', reason: 'Not now.', refused: code });
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('starts the program once when the answer to its start is lost', () => {
    RunConnection.run({ source: 'x' }, sink);
    latest().open();
    const [asked] = latest().sent;
    latest().breaks();
    expect(statuses.at(-1)).toMatchObject({ state: 'lost', attempt: 1 });
    vi.advanceTimersByTime(200);
    latest().breaks();
    vi.advanceTimersByTime(500);
    expect(latest().url).toMatch(/\/api\/run$/);
    latest().open();
    expect(latest().sent).toEqual([asked]);
    latest().says({ session: 'abc' });
    latest().says({ events: events(0, 2), last: 2 });
    expect(seen).toEqual([0, 1, 2]);
  });

  it('says so when the server was killed and knows less than has arrived', () => {
    started();
    latest().says({ events: events(0, 9), last: 9 });
    latest().breaks();
    vi.advanceTimersByTime(200);
    latest().open();
    latest().says({ end: true, last: 5 });
    expect(statuses.at(-1)).toMatchObject({ state: 'ended', reason: expect.stringContaining('server was ended') });
    expect(seen).toHaveLength(10);
  });

  it('tells that the run is not on disk', () => {
    started();
    latest().says({ events: [{ kind: 'program_finished', seq: 0, line: null, status: 'ok' }], last: 0 });
    latest().says({ end: true, last: 0, unkept: 'No room.' });
    expect(statuses.at(-1)).toEqual({ state: 'ended', session: 'abc', unkept: 'No room.' });
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

describe('a run that is discarded', () => {
  let removed: string[];
  beforeEach(() => {
    removed = [];
    vi.stubGlobal('fetch', (address: string, { method }: { method: string }) => {
      removed.push(`${method} ${address}`);
      return Promise.resolve();
    });
  });

  it('is removed from the server, and delivers nothing more', () => {
    const connection = started();
    const socket = latest();
    connection.discard();
    expect(removed).toEqual(['DELETE /api/sessions/abc']);
    expect(socket.readyState).toBe(3);
    socket.says({ events: events(0, 0), last: 0 });
    expect(seen).toEqual([]);
  });

  it('is removed as soon as its session is known', () => {
    const connection = RunConnection.run({ source: 'x' }, sink);
    latest().open();
    connection.discard();
    expect(removed).toEqual([]);
    latest().breaks();
    vi.advanceTimersByTime(1000);
    latest().open();
    latest().says({ session: 'late' });
    expect(removed).toEqual(['DELETE /api/sessions/late']);
    expect(latest().readyState).toBe(3);
    expect(statuses).toEqual([{ state: 'connecting' }]);
  });

  it('is not begun, where the server has not been asked or has refused', () => {
    const unasked = RunConnection.run({ source: 'x' }, sink);
    unasked.discard();
    latest().open();
    expect(latest().sent).toEqual([]);

    let refused: RunConnection | null = null;
    refused = RunConnection.run({ source: 'x' }, { ...sink, notices: (now) => now.length > 0 && refused?.discard() });
    latest().open();
    latest().says({ error: { message: 'Busy.', retry_after: 5 } });
    latest().breaks(4429);
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(2);
    expect(removed).toEqual([]);
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
    expect(statuses.at(-1)).toEqual({
      state: 'ended',
      session: 'gone',
      reason: 'There is no session gone.',
      gone: true,
      refused: 4404,
    });
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('tries again when a busy server said to, under the same name, and tells for how long it waits', () => {
    RunConnection.run({ source: 'x' }, sink);
    latest().open();
    latest().says({ error: { message: 'The server is busy.', retry_after: 10 } });
    latest().breaks(4503);
    expect(notices).toEqual([[{ kind: 'refused', reason: 'The server is busy.', seconds_left: 10 }]]);
    expect(statuses.at(-1)!.state).toBe('connecting');
    vi.advanceTimersByTime(9999);
    expect(FakeSocket.all).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(notices.at(-1)).toEqual([]);
    latest().open();
    const [first, again] = FakeSocket.all.map((socket) => (socket.sent[0] as { key: string }).key);
    expect(first).toBe(again);
    latest().says({ session: 'abc' });
    expect(statuses.at(-1)).toMatchObject({ state: 'live', session: 'abc' });
  });

  it('asks no more once the reader does not wait any longer, nor for ever', () => {
    const left = RunConnection.run({ source: 'x' }, sink);
    latest().says({ error: { message: 'Busy.', retry_after: 5 } });
    latest().breaks(4429);
    left.close();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(1);

    RunConnection.run({ source: 'x' }, sink);
    while (statuses.at(-1)!.state !== 'ended') {
      latest().says({ error: { message: 'Busy.', retry_after: 5 } });
      latest().breaks(4429);
      vi.advanceTimersByTime(5000);
    }
    expect(FakeSocket.all).toHaveLength(22);
    expect(statuses.at(-1)).toMatchObject({ reason: 'Busy.', refused: 4429 });
  });
});
