#!/usr/bin/env node
import { readFileSync } from 'node:fs';
// As a namespace: a Node without a name that is imported says so with a stack, before anything here runs.
import * as module from 'node:module';

const oldest = { major: 22, minor: 19 };

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldest.major || (major === oldest.major && minor < oldest.minor);
}

/** `npm run placet` starts in the folder of the package, and its paths are meant from where it was typed. */
function goWhereNpmWasCalled({ npm_package_name, npm_lifecycle_event, INIT_CWD }: NodeJS.ProcessEnv): void {
  // The scripts of other packages name their paths from their own folder.
  if (npm_package_name === 'placet' && npm_lifecycle_event === 'placet' && INIT_CWD) process.chdir(INIT_CWD);
}

const args = process.argv.slice(2);
if (isOld(process.versions.node)) {
  console.error(
    `placet needs Node ${oldest.major}.${oldest.minor} or later, this is ${process.versions.node}`,
  );
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  process.stdout.on('error', async (error) => {
    const { cannotWrite } = await import('./terminal/cannot-write.ts');
    const reason = cannotWrite(error);
    if (reason === undefined) return;
    console.error(`placet: ${reason}`);
    process.exitCode = 1;
  });
  process.stdout.write(`${manifest.version}\n`);
} else {
  // Everything else is imported when a command needs it: a version costs no parser and no schema.
  module.enableCompileCache();
  goWhereNpmWasCalled(process.env);
  const { main } = await import('./program.ts');
  process.exitCode = await main(args);
}
