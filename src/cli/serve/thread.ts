import { parentPort, workerData } from 'node:worker_threads';
import { Loader } from '../../gateway/live/loader.ts';
import type { Loading } from './live.ts';
import { rendering } from './rendering.ts';
import { sourcesOf } from './sources.ts';

/** Runs in a thread of its own: reads and compiles, so that whoever decides is never kept waiting by it. */
const { options, ...from } = workerData as Loading;
new Loader(parentPort!, await sourcesOf(from), options, rendering());
