/** For whoever puts something together that others only read. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
