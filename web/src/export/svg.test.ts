// Protects: every recorded program can be drawn as SVG, with the names of its nodes as texts, and no text becomes markup.

import { describe, expect, it } from 'vitest';
import { MirrorLayout } from '../layout/mirror';
import { goldens } from '../protocol/goldens';
import type { ThemeTokens } from '../renderer/tokens';
import { buildScene } from '../scene/scene';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { captionHeight, drawFrame, lines, sizeOf, wholeView } from './picture';
import { SvgPen } from './svg';

const tokens = new Proxy(
  {},
  { get: (_, name) => (name === 'groups' ? ['#eee', '#ddd', '#ccc'] : '#123') },
) as ThemeTokens;

describe.each(goldens())('%s', (_, events) => {
  it('is drawn with all of its nodes and within the picture', () => {
    const log = new EventLog();
    const timeline = new Timeline(log);
    const layout = new MirrorLayout(log);
    log.append(events);
    layout.commit();
    const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, { selection: null, hover: null });
    if (!scene.drawn) return;
    const view = wholeView(scene.drawn, 1);
    const frame = { scene, view, caption: 'It ends.', height: captionHeight('It ends.', 400), tokens };
    const pen = new SvgPen();
    drawFrame(pen.ctx, frame, 1);
    const { width, height } = sizeOf(frame);
    const written = pen.document(width, height, '', 'It ends.');
    expect(written).not.toMatch(/="[^"]*(NaN|undefined|\[object)/);
    const { pills, cards } = scene.visible(view.rect, 1);
    expect(written.match(/<text /g)?.length ?? 0).toBeGreaterThanOrEqual(
      view.scale > 0.5 ? pills.length + cards.length : 0,
    );
    for (const { rect } of [...pills, ...cards]) {
      expect((rect.x - view.rect.x) * view.scale).toBeGreaterThanOrEqual(0);
      expect((rect.x + rect.width - view.rect.x) * view.scale).toBeLessThanOrEqual(width);
    }
  });
});

describe('a text', () => {
  it('is never markup, and has only characters that XML has', () => {
    const pen = new SvgPen();
    pen.font = '400 12px monospace';
    pen.fillText('</text>  <script>1</script>&"\'\u0001\ud800 😀', 1, 2);
    const written = pen.document(10, 10, '', '</title><script>');
    expect(written).not.toContain('<script');
    expect(written).toContain('&#60;/text&#62;\u00a0 &#60;script&#62;1&#60;/script&#62;&#38;&#34;&#39;\ufffd\ufffd 😀');
  });

  it('is broken into lines that fit, longer words too', () => {
    const wide = (text: string) => text.length * 10;
    expect(lines('one two three', 112, wide)).toEqual(['one two', 'three']);
    expect(lines('abcdefghijkl m', 112, wide)).toEqual(['abcdefgh', 'ijkl m']);
    expect(lines('', 112, wide)).toEqual([]);
  });
});

describe('what a canvas draws', () => {
  it('keeps its clip and its strength until it is restored', () => {
    const pen = new SvgPen();
    pen.save();
    pen.beginPath();
    pen.roundRect(0, 0, 10, 10, [2, 0]);
    pen.clip();
    pen.globalAlpha = 0.5;
    pen.fillRect(0, 0, 5, 5);
    pen.restore();
    pen.fillRect(1, 1, 5, 5);
    const written = pen.document(10, 10, '', '');
    const [inside, outside] = written.match(/<rect[^>]*>/g)!;
    expect(written.replaceAll('\n', '')).toContain(`<g clip-path="url(#clip1)">${inside}</g>${outside}`);
    expect(inside).toContain('opacity="0.5"');
    expect(outside).not.toContain('opacity');
  });

  it('has arcs, whole circles too', () => {
    const pen = new SvgPen();
    pen.beginPath();
    pen.arc(5, 5, 2, 0, Math.PI * 2);
    pen.stroke();
    expect(pen.document(10, 10, '', '')).toContain('M7 5A2 2 0 0 1 3 5A2 2 0 0 1 7 5Z');
  });
});
