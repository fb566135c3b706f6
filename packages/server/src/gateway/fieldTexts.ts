import type { ConstantField, Fields } from '@chaintape/protocol/descriptions'

type ValueOf<field> = field extends { readonly valueType?: infer value } ? value : never

/** One of the field's own words, or any text. */
type TextOf<field> = ValueOf<field> extends string ? ValueOf<field> : string

/** What always has the same value is part of the encoder. */
type WrittenNames<fields> = {
  [name in keyof fields]: fields[name] extends ConstantField ? never : name
}[keyof fields]

/**
 * What an encoder of rowTexts.ts is given for each field, by its name: the JSON of the value. Decimals, digits and words are
 * given bare, for their quotes stand beside the names, unless they may be null. Null: the optional field is absent.
 */
export type FieldTexts<fields extends Fields> = {
  readonly [name in WrittenNames<fields>]: fields[name] extends { readonly isOptional: true }
    ? TextOf<fields[name]> | null
    : TextOf<fields[name]>
}
