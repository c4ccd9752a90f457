#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// Everything else is imported when a command needs it: a version costs no parser and no schema.
enableCompileCache();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  console.log(manifest.version);
} else {
  const { main } = await import('./program.ts');
  process.exitCode = await main(args);
}
