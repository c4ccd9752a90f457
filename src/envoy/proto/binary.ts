import {
  clone,
  create,
  createFileRegistry,
  type DescFile,
  type FileRegistry,
  fromJson,
  type JsonValue,
  toBinary,
} from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { registry } from './registry.ts';

/** A message as bytes, out of its JSON; what stands in an `Any` too. Throws for what the definitions do not know. */
export function binaryOf(type: string, json: unknown): Uint8Array {
  const messages = completed();
  const message = messages.getMessage(type);
  if (message === undefined) throw new Error(`${type}: no such message among those that are generated`);
  return toBinary(message, fromJson(message, json as JsonValue, { registry: messages }));
}

let known: FileRegistry | undefined;

/** The installed definitions with the field of Envoy 1.40's `rbac.proto` that they lack: `Principal.custom`. */
function completed(): FileRegistry {
  if (known !== undefined) return known;
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.name)) return;
    for (const dependency of file.dependencies) add(dependency);
    files.set(file.name, file);
  };
  for (const type of registry) add(type.file);
  const file = [...files.values()].map((one) =>
    one.name === rbacFile ? withCustomPrincipals(one) : one.proto,
  );
  known = createFileRegistry(create(FileDescriptorSetSchema, { file }));
  return known;
}

const rbacFile = 'envoy/config/rbac/v3/rbac';
const customPrincipal = 14;

function withCustomPrincipals({ proto }: DescFile) {
  const copy = clone(FileDescriptorProtoSchema, proto);
  const principal = copy.messageType.find(({ name }) => name === 'Principal');
  const identifier = principal?.oneofDecl.findIndex(({ name }) => name === 'identifier') ?? -1;
  principal?.field.push(
    create(FieldDescriptorProtoSchema, {
      name: 'custom',
      jsonName: 'custom',
      number: customPrincipal,
      label: FieldDescriptorProto_Label.OPTIONAL,
      type: FieldDescriptorProto_Type.MESSAGE,
      typeName: '.envoy.config.core.v3.TypedExtensionConfig',
      oneofIndex: identifier,
    }),
  );
  return copy;
}
