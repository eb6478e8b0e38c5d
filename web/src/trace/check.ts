// Checks that a value is an event of the protocol, by the schema that the types are generated from: what a file holds is
// not to be trusted. (Validators that compile a schema are refused by the page's content security policy.)

import * as say from '../messages/trace';
import { own } from '../protocol/own';
import schema from '../protocol/schema.json';

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  type?: string;
  enum?: unknown[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
};

const definitions = schema.$defs as Record<string, Schema>;
const KINDS = schema.discriminator.mapping as Record<string, string>;

function resolved(ref: string): Schema {
  return definitions[ref.slice('#/$defs/'.length)]!;
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

/** Whether a value keeps within the bounds of a rule, whose type it has. */
function isWithin(rule: Schema, value: unknown): boolean {
  const most = Number.POSITIVE_INFINITY;
  if (typeof value === 'number') return value >= (rule.minimum ?? -most) && value <= (rule.maximum ?? most);
  // The bound counts characters, a string's length its halves of surrogate pairs.
  if (typeof value === 'string')
    return value.length <= (rule.maxLength ?? most) || [...value].length <= rule.maxLength!;
  if (Array.isArray(value)) return value.length <= (rule.maxItems ?? most);
  return rule.maxProperties === undefined || Object.keys(value as object).length <= rule.maxProperties;
}

/** Where a value is not what the schema says, as `.name[3]`; null where it is. */
function wrong(rule: Schema, value: unknown, where: string): string | null {
  if (rule.$ref) return wrong(resolved(rule.$ref), value, where);
  if (rule.anyOf) return rule.anyOf.some((one) => wrong(one, value, where) === null) ? null : where;
  if (rule.enum && !rule.enum.includes(value)) return where;
  if (rule.type && (!hasType(rule.type, value) || (value !== null && !isWithin(rule, value)))) return where;
  if (rule.items) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const found = wrong(rule.items, item, `${where}[${index}]`);
      if (found !== null) return found;
    }
  }
  if (rule.type !== 'object') return null;
  const fields = value as Record<string, unknown>;
  for (const name of rule.required ?? []) {
    if (!Object.hasOwn(fields, name)) return `${where}.${name}`;
  }
  for (const name in fields) {
    const field = own(rule.properties ?? {}, name) ?? rule.additionalProperties;
    if (typeof field !== 'object') continue;
    const found = wrong(field, fields[name], `${where}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

/** Why a value is not an event, in words that continue "Event 3 …"; null where it is one. */
export function notAnEvent(value: unknown): string | null {
  if (!hasType('object', value)) return say.isNotAnObject;
  const { kind } = value as { kind?: unknown };
  const ref = typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (ref === undefined) return say.isOfAnUnknownKind;
  const where = wrong(resolved(ref), value, '');
  return where === null ? null : say.hasAWrongValueAt(where.slice(1));
}
