// How the page of a recording is built as one file, for `backscope export` and the page's own export.

import { oneFile } from './one-file.ts';

export default oneFile({ entry: 'main.ts', file: 'single.txt', absent: [/\/LessonRoom\.svelte$/] });
