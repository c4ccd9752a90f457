import { install } from './venv.ts';

console.log(await install((line) => console.error(line)));
