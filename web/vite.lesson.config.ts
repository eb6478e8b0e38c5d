// How the page of a lesson is built as one file, for `backscope lesson export`.

import { oneFile } from './one-file.ts';

export default oneFile({
  entry: 'lesson/main.ts',
  file: 'lesson.txt',
  replaced: [
    [/\/LessonRoom\.svelte$/, 'lesson/RecordedLesson.svelte'],
    [/\/ChangeTask\.svelte$/, 'lesson/RecordedChange.svelte'],
    [/\/shelf$/, 'lesson/shelf.ts'],
  ],
});
