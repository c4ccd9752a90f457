import { WireWriter } from '../wire/writer.ts';
import { extensionType, type Resource } from './resource.ts';

const writer = new WireWriter();

function small(write: (writer: WireWriter) => void): Buffer {
  write(writer);
  return writer.finish();
}

/** What stands before a field whose bytes follow. */
function head(field: number, length: number): Buffer {
  return small((w) => w.head(field, length));
}

const anyType = small((w) => w.text(1, extensionType));

/** An `Any`, in parts: the resource's own bytes are not copied, however many nodes get them. */
function any(field: number, { bytes }: Resource): Uint8Array[] {
  const value = head(2, bytes.length);
  return [head(field, anyType.length + value.length + bytes.length), anyType, value, bytes];
}

export interface Response {
  readonly version: string;
  readonly nonce: string;
  readonly resources: readonly Resource[];
  readonly removed?: readonly string[];
}

/** A DiscoveryResponse, in parts. */
export function stateOfTheWorld({ version, nonce, resources }: Response): Uint8Array[] {
  const ends = small((w) => {
    w.text(5, nonce);
    w.text(4, extensionType);
    w.text(1, version);
  });
  return [ends, ...resources.flatMap((resource) => any(2, resource))];
}

/** A DeltaDiscoveryResponse, in parts. */
export function delta({ version, nonce, resources, removed = [] }: Response): Uint8Array[] {
  const ends = small((w) => {
    for (const name of removed.toReversed()) w.text(6, name);
    w.text(5, nonce);
    w.text(4, extensionType);
    w.text(1, version);
  });
  return [
    ends,
    ...resources.flatMap((resource) => {
      const names = small((w) => {
        w.text(3, resource.name);
        w.text(1, resource.version);
      });
      const inner = any(2, resource);
      const length = inner.reduce((sum, part) => sum + part.length, names.length);
      return [head(2, length), names, ...inner];
    }),
  ];
}
