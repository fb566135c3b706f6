import { parseId } from '@chaintape/protocol'
import type { LaunchState } from '../../../engine/marketReads.ts'
import { RequestError } from '../../errors.ts'
import { type GatewayChain, nowSOf } from '../../gatewayChain.ts'
import { optionalChain, optionalText, order, rowLimit, shown } from '../../operation/inputs.ts'
import {
  defineOperation,
  type Input,
  type Inputs,
  type Serving,
} from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { codeColumns, launchStates, measureNames, measures } from '../../screener/measures.ts'
import { selectTokens } from '../../screener/screener.ts'
import type { Range, TokenBoard } from '../../screener/tokenBoard.ts'
import { type Pause, runInSlices } from '../../turns/runInSlices.ts'
import { orderedRows, type TokenRef } from '../tokens/tokenOrder.ts'

const limitMax = 200
const createdAt = measureNames.indexOf('created_at')

/** A finite number, or null when it is not given. */
function bound(name: string, description: string): Input<number | null> {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'number' },
    parse(text) {
      if (text === undefined || text.trim() === '') return null
      // As people and JSON write numbers: no hexadecimal ones.
      const value = /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN
      if (!Number.isFinite(value))
        throw new RequestError('invalid_param', `The parameter ${name} is not a number.`, name)
      return value
    },
  }
}

const bounds = Object.fromEntries(
  measures.flatMap(({ name, description }) => [
    [`min_${name}`, bound(`min_${name}`, `At least. ${description}`)],
    [`max_${name}`, bound(`max_${name}`, `At most. ${description}`)],
  ]),
) as Record<string, Input<number | null>>

/** A place in the list: what its row is ordered by, and which it is. */
type Cursor = { value: number; chain: string; address: string }

const cursorInput: Input<Cursor | null> = {
  name: 'cursor',
  in: 'query',
  isRequired: false,
  description: '`next_cursor` of the page before; the other parameters must be the same.',
  schema: { type: 'string' },
  parse(text) {
    if (text === undefined || text === '') return null
    const [, number, id] = /^(-?[\d.]+(?:e[+-]?\d+)?)_(.+)$/.exec(text) ?? []
    const parsed = id === undefined ? null : parseId(id)
    if (parsed === null || !Number.isFinite(Number(number)))
      throw new RequestError(
        'invalid_param',
        `The cursor ${shown(text)} is none that was given out.`,
        'cursor',
      )
    return { value: Number(number), ...parsed }
  },
}

const choice = (
  name: string,
  description: string,
  words: readonly string[],
): Input<string | null> => {
  const text = optionalText({ name, description })
  return {
    ...text,
    schema: { type: 'string', enum: words },
    parse(given, serving) {
      const found = text.parse(given, serving)
      if (found !== null && !words.includes(found))
        throw new RequestError(
          'invalid_param',
          `The parameter ${name} is one of ${words.join(', ')}.`,
          name,
        )
      return found
    },
  }
}

const inputs = {
  chain: optionalChain,
  sort: order({
    name: 'sort',
    description: 'What the rows are ordered by; tokens without it are left out.',
    words: measureNames,
    default: 'volume_24h',
  }),
  order: order({
    name: 'order',
    description: 'The largest or the smallest first.',
    words: ['desc', 'asc'],
    default: 'desc',
  }),
  limit: rowLimit({ description: 'Rows of a page.', default: 50, max: limitMax }),
  cursor: cursorInput,
  min_age_s: bound('min_age_s', 'At least so many seconds since its launch or first pair.'),
  max_age_s: bound('max_age_s', 'At most so many seconds since its launch or first pair.'),
  launch: choice('launch', 'Tokens of launch platforms in this state.', launchStates),
  platform: optionalText({ name: 'platform', description: 'Tokens of this launch platform.' }),
  venue: optionalText({
    name: 'venue',
    description: 'Tokens whose main pair is of this venue, as `amm` of pairs names it.',
  }),
  honeypot: choice('honeypot', '0: without those that are known to be one; 1: these alone.', [
    '0',
    '1',
  ]),
} satisfies Inputs

type Asked = {
  [name in keyof typeof inputs]: ReturnType<(typeof inputs)[name]['parse']>
}

/** Tokens by any of their numbers. */
export const screener = defineOperation({
  id: 'screener',
  method: 'GET',
  path: '/v2/screener',
  cost: 20,
  tag: 'ranks',
  summary: 'Tokens selected and ordered by their numbers',
  description:
    'All tokens with a price that are within every given bound. Rows are as they are now; which tokens are looked at is up to ' +
    'a minute old where a chain has hundreds of thousands. `next_cursor` is empty on the last page.',
  inputs: { ...inputs, ...bounds },
  answer: ref('ScreenerPage'),
  async run(values, serving) {
    const asked = values as unknown as Asked
    const given = values as unknown as Readonly<Record<string, number | null>>
    const { chains, turns, screener: boards } = serving
    const served = asked.chain === null ? [...chains.values()].filter(hasBlock) : [asked.chain]
    const found = await Promise.all(
      served.map(async (chain) => ({ chain, board: await boards.of(chain, turns) })),
    )
    const json = await runInSlices(turns, served, (pause) =>
      pageOf(found, asked, given, serving, pause),
    )
    return { json }
  },
})

const hasBlock = ({ reads }: GatewayChain) => reads.head() !== null

type OfChain = { chain: GatewayChain; board: TokenBoard }

async function pageOf(
  found: readonly OfChain[],
  asked: Asked,
  given: Readonly<Record<string, number | null>>,
  { clock, rows }: Serving,
  pause: Pause,
) {
  const column = measureNames.indexOf(asked.sort)
  const sign = asked.order === 'asc' ? -1 : 1
  const selected: (OfChain & { tokenId: number; value: number; ranges: readonly Range[] })[] = []
  for (const [at, { chain, board }] of found.entries()) {
    const ranges = rangesOf(asked, given, board, nowSOf(chain, clock))
    if (ranges === null) continue
    const after = afterOf(asked.cursor, found, at)
    // One more than asked for says whether there is a next page.
    const query = { ranges, column, sign, limit: asked.limit + 1, after } as const
    const some = await selectTokens(chain, board, query, pause)
    if (some === null) return null
    selected.push(...some.map((ranked) => ({ ...ranked, chain, board, ranges })))
  }
  selected.sort((a, b) => b.value - a.value)
  const page = selected.slice(0, asked.limit)
  const last = page.at(-1)
  const next = selected.length > page.length && last !== undefined ? cursorText(last) : ''
  // The board may be older than what the rows show.
  const isStill = ({ chain, board, tokenId, ranges }: (typeof selected)[number]) => {
    board.forgetOne(tokenId)
    board.refresh(tokenId, nowSOf(chain, clock))
    return board.isWithin(tokenId, ranges) && !Number.isNaN(board.value(tokenId, column))
  }
  const shownOnes = page.filter(isStill)
  const boardOf = new Map(found.map(({ chain, board }) => [chain, board]))
  const rankOf = ({ chain, tokenId }: TokenRef) => {
    const board = boardOf.get(chain)!
    board.refresh(tokenId, nowSOf(chain, clock))
    return sign * board.value(tokenId, column)
  }
  return orderedRows(shownOnes, rankOf, rows, pause, {
    before: `{"next_cursor":${JSON.stringify(next)},"tokens":`,
    after: '}',
  })
}

function cursorText({
  value,
  chain,
  tokenId,
}: {
  value: number
  chain: GatewayChain
  tokenId: number
}) {
  return `${value}_${chain.reads.tokenRecord(tokenId).address}-${chain.profile.name}`
}

/** Of equal ones, those of earlier chains were on pages before. */
function afterOf(cursor: Cursor | null, found: readonly OfChain[], at: number) {
  if (cursor === null) return null
  const { value, address } = cursor
  const cursorAt = found.findIndex(({ chain }) => chain.profile.name === cursor.chain)
  const tokenId = at === cursorAt ? (found[at]!.chain.reads.findToken(address) ?? -1) : -1
  return { value, tokenId: at < cursorAt ? Number.POSITIVE_INFINITY : tokenId }
}

/** Null: no token can be. */
function rangesOf(
  asked: Asked,
  given: Readonly<Record<string, number | null>>,
  { words }: TokenBoard,
  nowS: number,
): Range[] | null {
  const ranges: Range[] = []
  const add = (column: number, min: number | null, max: number | null) => {
    if (min !== null || max !== null)
      ranges.push({ column, min: min ?? -Infinity, max: max ?? Infinity })
  }
  for (const [column, name] of measureNames.entries())
    add(column, given[`min_${name}`] ?? null, given[`max_${name}`] ?? null)
  const { min_age_s: ageMin, max_age_s: ageMax } = asked
  add(createdAt, ageMax === null ? null : nowS - ageMax, ageMin === null ? null : nowS - ageMin)
  const is = (column: number, code: number) => add(column, code, code)
  if (asked.launch !== null)
    is(codeColumns.launch, launchStates.indexOf(asked.launch as LaunchState['state']))
  if (asked.honeypot !== null) is(codeColumns.isHoneypot, Number(asked.honeypot))
  for (const name of ['platform', 'venue'] as const) {
    if (asked[name] === null) continue
    const code = words.find(asked[name])
    if (code === undefined) return null
    is(codeColumns[name], code)
  }
  return ranges
}
