import {
  answerRows,
  type JsonSchema,
  orEmptyRows,
  rowSchema,
} from '@chaintape/protocol/descriptions'

const rows = new Map(
  [...answerRows, ...orEmptyRows].map((row) => [row.name, rowSchema(row)] as const),
)

const tokenFields = [
  ...['token_id', 'token', 'chain', 'symbol', 'name', 'current_price_usd', 'price_change_24h'],
  ...['tx_volume_u_24h', 'market_cap', 'main_pair', 'main_pair_tvl', 'holders', 'launch_at'],
]
const tradeFields = [
  ...['id', 'tx_hash', 'direction', 'amount_usd', 'wallet_address', 'from_token_symbol'],
  ...['from_token_amount', 'to_token_symbol', 'to_token_amount'],
]
const pairFields = [
  ...['pair_id', 'pair', 'chain', 'amm', 'token0_symbol', 'token1_symbol', 'token0_price_usd'],
  ...['token1_price_usd', 'price_change_24h', 'tvl'],
]

/** Members of long rows that are kept unless the caller names others. */
const keptByRow: Readonly<Record<string, readonly string[]>> = {
  TokenRow: tokenFields,
  MainToken: tokenFields,
  SwapTx: [...tradeFields, 'tx_time'],
  WalletTx: [...tradeFields, 'time'],
  TokenPair: pairFields,
  PairDetail: [...pairFields, 'target_token', 'volume_u_24h', 'created_at'],
}

// Every word of a schema is read by each model. Longer rows, and objects further down, are in
// docs/reference/fields.md only.
const membersMax = 20
const levelsMax = 2

function rowNameOf({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string'
    ? $ref
        .split('/')
        .at(-1)!
        .replace(/OrEmpty$/, '')
    : undefined
}

/** The members of a list or a map. */
function innerOf({ items, anyOf, additionalProperties }: JsonSchema): JsonSchema | undefined {
  const inner = items ?? (Array.isArray(anyOf) ? anyOf[0] : additionalProperties)
  return typeof inner === 'object' && inner !== null ? (inner as JsonSchema) : undefined
}

function membersOf({ properties }: JsonSchema): [name: string, schema: JsonSchema][] {
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>)
}

/**
 * Paths of the members that an answer has unless the caller names others; null: it has no long row
 * and is kept whole.
 */
export function keptOf(schema: JsonSchema, prefix = ''): string[] | null {
  const name = rowNameOf(schema)
  if (name !== undefined)
    return keptByRow[name]?.map((field) => prefix + field) ?? keptOf(rows.get(name)!, prefix)
  const inner = innerOf(schema)
  if (inner !== undefined) return keptOf(inner, prefix)
  const members = membersOf(schema).map(([member, one]) => ({
    name: prefix + member,
    kept: keptOf(one, `${prefix}${member}.`),
  }))
  if (members.every(({ kept }) => kept === null)) return null
  return members.flatMap(({ name, kept }) => kept ?? [name])
}

/** An answer as a tool shows it: nothing is required, since `fields` leaves members out. */
function shownAnswer(schema: JsonSchema, levels = levelsMax): JsonSchema {
  const name = rowNameOf(schema)
  if (name !== undefined) {
    const kept = keptByRow[name]
    const members = membersOf(rows.get(name)!).filter(([member]) => kept?.includes(member) ?? true)
    if (members.length <= membersMax) return objectOf(members, levels)
    return { type: 'object', description: `${name} of chaintape://docs/reference/fields.md` }
  }
  const { type } = schema
  if (type === 'array') return { type, items: shownAnswer(schema.items as JsonSchema, levels) }
  if (type === 'object') {
    const inner = innerOf(schema)
    if (inner === undefined) return objectOf(membersOf(schema), levels)
    return { type, additionalProperties: shownAnswer(inner, levels) }
  }
  return typeof type === 'string' || Array.isArray(type) ? { type } : {}
}

type Members = readonly (readonly [name: string, schema: JsonSchema])[]

function objectOf(members: Members, levels: number): JsonSchema {
  if (levels === 0) return { type: 'object' }
  const shown = members.map(([name, schema]) => [name, shownAnswer(schema, levels - 1)])
  return { type: 'object', properties: Object.fromEntries(shown) }
}

/** Tools answer with objects: a list is in `rows`. */
export function structuredOf(answer: unknown): Record<string, unknown> {
  return Array.isArray(answer) ? { rows: answer } : (answer as Record<string, unknown>)
}

/** One schema for the answers of several operations. */
export function structuredSchema(answers: readonly JsonSchema[]): JsonSchema {
  const shown = answers
    .map((answer) => shownAnswer(answer))
    .map((one) => (one.type === 'array' ? objectOfRows(one) : one))
  const properties: Record<string, JsonSchema> = {}
  for (const [name, schema] of shown.flatMap(membersOf)) {
    const known = properties[name]
    properties[name] = known === undefined ? schema : eitherOf(known, schema)
  }
  const maps = shown.flatMap(({ additionalProperties: one }) => (one === undefined ? [] : [one]))
  return {
    type: 'object',
    ...(shown.some(({ properties: one }) => one !== undefined) ? { properties } : {}),
    ...(maps.length === 0 ? {} : { additionalProperties: (maps as JsonSchema[]).reduce(eitherOf) }),
  }
}

function objectOfRows(list: JsonSchema): JsonSchema {
  return { type: 'object', properties: { rows: list } }
}

function eitherOf(one: JsonSchema, other: JsonSchema): JsonSchema {
  const choices = [...((one.anyOf as JsonSchema[] | undefined) ?? [one]), other]
  const texts = new Set(choices.map((choice) => JSON.stringify(choice)))
  const different = [...texts].map((text) => JSON.parse(text) as JsonSchema)
  return different.length === 1 ? one : { anyOf: different }
}
