import { inflateRawSync } from 'node:zlib';

/**
 * One file out of a zip archive (PKWARE APPNOTE 4.3), found through the central directory. For archives whose hash
 * is known: no check sums, no encryption, no zip64.
 */
export function unzip(archive: Buffer, name: string): Buffer | undefined {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end === -1) return undefined;
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const method = archive.readUInt16LE(at + 10);
    const packed = archive.readUInt32LE(at + 20);
    const lengths = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const [nameLength = 0, extra = 0, comment = 0] = lengths;
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      return content(archive, archive.readUInt32LE(at + 42), packed, method);
    }
    at += 46 + nameLength + extra + comment;
  }
  return undefined;
}

const stored = 0;
const deflated = 8;

function content(archive: Buffer, header: number, packed: number, method: number): Buffer | undefined {
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const bytes = archive.subarray(start, start + packed);
  if (method === stored) return bytes;
  return method === deflated ? inflateRawSync(bytes) : undefined;
}
