// The two bundled typefaces: Inter for the interface, JetBrains Mono for code and numbers.

import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
