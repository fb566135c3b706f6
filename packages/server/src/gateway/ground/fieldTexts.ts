import type { ConstantField, Fields } from '@chaintape/protocol/descriptions'

type ValueOf<field> = field extends { readonly valueType?: infer value } ? value : never

/** The field's own literal words, or `string` for any other field. */
type TextOf<field> = ValueOf<field> extends string ? ValueOf<field> : string

/** Names of the fields that vary. The encoder writes constant fields itself. */
type WrittenNames<fields> = {
  [name in keyof fields]: fields[name] extends ConstantField ? never : name
}[keyof fields]

/**
 * Input of a row encoder in rowTexts.ts: the JSON of each field's value, by field name. Non-null
 * decimals, digits and words come without quotes, because the encoder writes the quotes next to the
 * name. Null omits an optional field.
 */
export type FieldTexts<fields extends Fields> = {
  readonly [name in WrittenNames<fields>]: fields[name] extends { readonly isOptional: true }
    ? TextOf<fields[name]> | null
    : TextOf<fields[name]>
}
