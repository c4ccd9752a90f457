import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes `src/envoy/proto/generated`: messages and types out of the `.proto` files that `@grpc/grpc-js-xds` brings
 * along, and of our own few. Nothing of it is committed. What is up to date is left alone, so that whoever needs it
 * may call this first.
 */

const root = join(import.meta.dirname, '..');
const target = join(root, 'src/envoy/proto/generated');
/** A module's folder and the folder in it: what is wanted must be below a module, not be one. */
const ownModule = 'src/envoy/proto/own';
const own = `${ownModule}/placet`;
const installed = 'node_modules/@grpc/grpc-js-xds/deps';
const modules = [
  ...['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) => `${installed}/${name}`),
  ownModule,
];

/** With what these import. */
const wanted = [
  ...[
    'extensions/filters/http/rbac/v3',
    'extensions/filters/network/rbac/v3',
    'extensions/filters/http/jwt_authn/v3',
    'extensions/filters/http/lua/v3',
    'extensions/filters/http/set_filter_state/v3',
    'extensions/matching/common_inputs',
    'extensions/transport_sockets/tls/v3/tls_spiffe_validator_config.proto',
    'extensions/filters/http/ext_authz/v3',
    'extensions/filters/network/ext_authz/v3',
    'service/auth/v3',
    'service/discovery/v3',
    'type/matcher/v3',
  ].map((path) => `${installed}/envoy-api/envoy/${path}`),
  `${installed}/xds/xds/type/matcher/v3/matcher.proto`,
  own,
];

const packages = ['@grpc/grpc-js-xds', '@bufbuild/buf', '@bufbuild/protoc-gen-es'];

function stampNow(): string {
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  for (const name of packages) hash.update(readFileSync(join(root, 'node_modules', name, 'package.json')));
  for (const file of readdirSync(join(root, own)).sort())
    hash.update(file).update(readFileSync(join(root, own, file)));
  return hash.digest('hex');
}

export function generate(): void {
  const lacking = packages.filter((name) => !existsSync(join(root, 'node_modules', name)));
  if (lacking.length > 0) {
    // A tree without development tools runs all that needs no generated code.
    console.error(`nothing generated: ${lacking.join(', ')} not installed`);
    return;
  }
  const stamp = stampNow();
  const stampFile = join(target, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  mkdirSync(join(root, '.cache'), { recursive: true });
  const work = mkdtempSync(join(root, '.cache/proto-'));
  try {
    const out = join(work, 'out');
    runBuf(relative(root, out));
    writeFileSync(join(out, '.stamp'), stamp);
    rmSync(target, { recursive: true, force: true });
    renameSync(out, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runBuf(out: string): void {
  const bin = (name: string, file: string) => join(root, 'node_modules', name, 'bin', file);
  const config = { version: 'v2', modules: modules.map((path) => ({ path })) };
  const template = {
    version: 'v2',
    plugins: [
      {
        local: [process.execPath, bin('@bufbuild/protoc-gen-es', 'protoc-gen-es')],
        out,
        // As TypeScript it would have enums, which Node does not erase.
        opt: ['target=js+dts', 'import_extension=js'],
        include_imports: true,
      },
    ],
    inputs: [{ directory: '.', paths: wanted }],
  };
  const args = ['generate', '--config', JSON.stringify(config), '--template', JSON.stringify(template)];
  execFileSync(process.execPath, [bin('@bufbuild/buf', 'buf'), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The compiler leaves JavaScript where it is: the build takes it along. Types stay, since nothing exported has them. */
function take(folder: string): void {
  const scripts = (file: string) => !/\.[a-z.]+$/.test(file) || file.endsWith('.js');
  cpSync(target, folder, { recursive: true, filter: (file) => scripts(file.slice(target.length)) });
}

/** For the tests' runner, before the first of them. */
export const setup = generate;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  generate();
  const [, , folder] = process.argv;
  if (folder !== undefined) take(join(root, folder));
}
