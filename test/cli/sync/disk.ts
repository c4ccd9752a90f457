import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs `work` in a folder of its own that holds these files, and takes it away again. */
export async function withFiles<T>(
  files: Readonly<Record<string, string>>,
  work: (root: string) => Promise<T> | T,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'placet-sync-'));
  try {
    for (const [file, text] of Object.entries(files)) put(join(root, file), text);
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A name that ends in `/` is an empty folder. */
export function put(path: string, text: string): void {
  if (path.endsWith('/')) {
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file below a folder, hidden ones too, with its content and when it was last changed. */
export function filesIn(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found.set(path.slice(folder.length + 1), readFileSync(path, 'utf8'));
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Which file it is and when it was changed: otherwise after any write, also of what was there. */
export function stampOf(path: string): string {
  const { ino, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${mtimeNs}`;
}

export const producer = `apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata:
  name: producer
  namespace: backend-ns
spec:
  to:
    - targetRef:
        kind: MeshService
        name: backend
      default:
        idleTimeout: 5s
`;

export const backend = `apiVersion: kuma.io/v1alpha1
kind: MeshService
metadata:
  name: backend
  namespace: backend-ns
spec: {}
`;
