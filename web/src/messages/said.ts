// The type of what fills a place in a message: a name or a number, already written as the page writes it.

export type Said = string | number | null | undefined;
