/**
 * Building blocks of descriptions. A description is data: a row's type, its JSON schema, its table
 * in docs/reference/fields.md and its encoder all follow from it.
 */

/** Units of numbers, with the sentence that documents add for each. */
export const units = {
  usd: { label: 'USD', sentence: 'In USD.' },
  native: { label: 'native coins', sentence: "In the chain's own coin." },
  tokens: { label: 'tokens', sentence: 'In whole tokens.' },
  shares: { label: 'shares', sentence: 'In whole shares of the pool.' },
  percent: { label: 'percent', sentence: 'In percent.' },
  fraction: { label: 'fraction', sentence: 'A fraction: 1 is all.' },
  factor: { label: 'factor', sentence: 'A factor: 1 changes nothing.' },
  unixS: { label: 'unix s', sentence: 'Unix seconds.' },
  unixMs: { label: 'unix ms', sentence: 'Unix milliseconds.' },
  seconds: { label: 's', sentence: 'In seconds.' },
  credits: { label: 'credit units', sentence: 'In credit units.' },
  points: { label: 'points', sentence: 'From 0, nothing found, to 100.' },
  perSecond: { label: 'per s', sentence: 'Per second.' },
} as const

export type Unit = keyof typeof units

/** Keywords of JSON Schema. */
type TextRules = {
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
}

/** How a value is written in JSON. */
export type Shape =
  | ({ readonly is: 'text' } & TextRules)
  /** A number as text: plain digits, no exponent, no trailing zeros after the point, never -0. */
  | { readonly is: 'decimal' }
  /** A count as text. */
  | { readonly is: 'digits' }
  | { readonly is: 'number' | 'integer'; readonly min?: number; readonly max?: number }
  | { readonly is: 'flag' }
  | { readonly is: 'words'; readonly words: readonly (string | number)[] }
  | { readonly is: 'constant'; readonly value: string | number | boolean | null }
  /** JSON of the row, inside of a JSON string. */
  | { readonly is: 'inner'; readonly row: Row }
  | { readonly is: 'list' | 'map'; readonly of: Shape; readonly max?: number }
  | { readonly is: 'row'; readonly row: Row }
  | { readonly is: 'either'; readonly shapes: readonly Shape[] }
  /** An object without members: nothing is known. */
  | { readonly is: 'empty' }
  | { readonly is: 'any' }

/** One member of a row. */
export type Field<value = unknown, isOptional extends boolean = boolean> = {
  readonly shape: Shape
  /** A sentence. */
  readonly meaning: string
  readonly unit?: Unit
  readonly isNullable: boolean
  /** True if it may be absent; the meaning says when. */
  readonly isOptional: isOptional
  /** The field is one of several that differ by one word. */
  readonly series?: {
    readonly name: string
    readonly meaning: string
    readonly words: readonly string[]
  }
  /** Only carries the value's type; never set. */
  readonly valueType?: value
}

export type Fields = { readonly [name: string]: Field }

/** An object on the wire. Fields are written in this order. */
export type Row<fields extends Fields = Fields> = {
  /** Name in documents; null if it is described where it is used. */
  readonly name: string | null
  /** A sentence. */
  readonly meaning: string
  readonly fields: fields
}

type ValueOf<field> = field extends { readonly valueType?: infer value } ? value : never

type OptionalNames<fields> = {
  [name in keyof fields]: fields[name] extends { readonly isOptional: true } ? name : never
}[keyof fields]

/** The type of an object with these fields. */
export type ObjectOf<fields extends Fields> = {
  [name in Exclude<keyof fields, OptionalNames<fields>>]: ValueOf<fields[name]>
} & { [name in OptionalNames<fields>]?: ValueOf<fields[name]> } extends infer flat
  ? { [name in keyof flat]: flat[name] }
  : never

/** The type of a row. */
export type TypeOf<row> = row extends Row<infer fields> ? ObjectOf<fields> : never

export function row<const fields extends Fields>(
  name: string,
  meaning: string,
  fields: fields,
): Row<fields> {
  return { name, meaning, fields }
}

/** An object without a name of its own. */
export function part<const fields extends Fields>(meaning: string, fields: fields): Row<fields> {
  return { name: null, meaning, fields }
}

function field<value>(shape: Shape, meaning: string, unit?: Unit): Field<value, false> {
  const shared = { shape, meaning, isNullable: false, isOptional: false } as const
  return unit === undefined ? shared : { ...shared, unit }
}

export function text(meaning: string, rules: TextRules = {}): Field<string, false> {
  return field({ is: 'text', ...rules }, meaning)
}

export function decimal(unit: Unit, meaning: string): Field<string, false> {
  return field({ is: 'decimal' }, meaning, unit)
}

export function digits(meaning: string): Field<string, false> {
  return field({ is: 'digits' }, meaning)
}

type Bounds = { min?: number; max?: number }

export function integer(meaning: string, bounds: Bounds = {}): Field<number, false> {
  return field({ is: 'integer', ...bounds }, meaning)
}

export function count(meaning: string, unit?: Unit): Field<number, false> {
  return field({ is: 'integer', min: 0 }, meaning, unit)
}

/** Unix seconds; the meaning explains 0. */
export function timeS(meaning: string): Field<number, false> {
  return count(meaning, 'unixS')
}

export function number(unit: Unit, meaning: string, bounds: Bounds = {}): Field<number, false> {
  return field({ is: 'number', ...bounds }, meaning, unit)
}

export function flag(meaning: string): Field<boolean, false> {
  return field({ is: 'flag' }, meaning)
}

export function words<const word extends string | number>(
  list: readonly word[],
  meaning: string,
): Field<word, false> {
  return field({ is: 'words', words: list }, meaning)
}

/** A field with a constant value, which encoders write as is. */
export type ConstantField<value = unknown> = Field<value, false> & { readonly isConstant: true }

export function constant<const value extends string | number | boolean | null>(
  value: value,
  meaning: string,
): ConstantField<value> {
  return { ...field<value>({ is: 'constant', value }, meaning), isConstant: true }
}

export function object<fields extends Fields>(
  described: Row<fields>,
  meaning = described.meaning,
): Field<ObjectOf<fields>, false> {
  return field({ is: 'row', row: described }, meaning)
}

/** JSON of a row as text. */
export function inner(described: Row, meaning: string): Field<string, false> {
  return field({ is: 'inner', row: described }, meaning)
}

/** A list of the field's values. */
export function list<value>(
  of: Field<value>,
  meaning: string,
  max?: number,
): Field<readonly value[], false> {
  return field(
    max === undefined ? { is: 'list', of: of.shape } : { is: 'list', of: of.shape, max },
    meaning,
  )
}

/** An object with arbitrary names, each with the field's value. */
export function map<value>(of: Field<value>, meaning: string): Field<Record<string, value>, false> {
  return field({ is: 'map', of: of.shape }, meaning)
}

export function either<const fields extends readonly Field[]>(
  fields: fields,
  meaning: string,
): Field<ValueOf<fields[number]>, false> {
  return field({ is: 'either', shapes: fields.map(({ shape }) => shape) }, meaning)
}

/** The row, or an object without members if nothing is known. */
export function orEmpty<value>(
  of: Field<value>,
  meaning: string,
): Field<value | Record<string, never>, false> {
  return field({ is: 'either', shapes: [of.shape, { is: 'empty' }] }, meaning)
}

export function any(meaning: string): Field<unknown, false> {
  return field({ is: 'any' }, meaning)
}

export function nullable<value, isOptional extends boolean>(
  of: Field<value, isOptional>,
): Field<value | null, isOptional> {
  return { ...of, isNullable: true } as Field<value | null, isOptional>
}

export function optional<value>(of: Field<value>): Field<value, true> {
  return { ...of, isOptional: true } as Field<value, true>
}

type AllOptional<fields extends Fields> = {
  readonly [name in keyof fields]: Field<ValueOf<fields[name]>, true>
}

export function allOptional<const fields extends Fields>(fields: fields): AllOptional<fields> {
  const entries = Object.entries(fields).map(([name, one]) => [name, optional(one)])
  return Object.fromEntries(entries) as AllOptional<fields>
}

type Starred<name, word extends string> = name extends `${infer start}*${infer end}`
  ? `${start}${word}${end}`
  : never

type Each<word extends string, fields extends Fields> = {
  readonly [name in keyof fields as Starred<name, word>]: fields[name]
}

/** Repeats the fields for each word, which replaces `*` in their names and meanings. */
export function each<const word extends string, const fields extends Fields>(
  list: readonly word[],
  fields: fields,
): Each<word, fields> {
  const entries = list.flatMap((word) =>
    Object.entries(fields).map(([name, one]) => [
      name.replace('*', word),
      {
        ...one,
        meaning: one.meaning.replaceAll('*', word),
        series: { name, meaning: one.meaning, words: list },
      },
    ]),
  )
  return Object.fromEntries(entries) as Each<word, fields>
}
