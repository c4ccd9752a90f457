/**
 * Fields that Envoy 1.40 has and the installed definitions lack, as far as exports use them: by message, the message
 * that the field holds. Messages that are newer as a whole are in `src/envoy/proto/own/`.
 */
const newer: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'envoy.config.rbac.v3.Principal': { custom: 'envoy.config.core.v3.TypedExtensionConfig' },
};

export function newerFields(message: string): Readonly<Record<string, string>> {
  return newer[message] ?? {};
}
