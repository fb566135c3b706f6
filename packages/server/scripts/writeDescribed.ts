// Writes what follows from the descriptions of rows and pushes: docs/reference/fields.md, and the
// encoders, whose names, order, quotes and constants are said there alone.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as pairs from '../../protocol/src/answers/pair.ts'
import * as tokens from '../../protocol/src/answers/token.ts'
import type { Field, Fields, Row } from '../../protocol/src/describe.ts'
import { fieldDocs } from '../../protocol/src/fieldDocs.ts'
import * as klines from '../../protocol/src/pushes/kline.ts'
import * as market from '../../protocol/src/pushes/market.ts'
import * as results from '../../protocol/src/pushes/results.ts'
import * as screened from '../../protocol/src/pushes/screened.ts'
import * as trades from '../../protocol/src/pushes/trade.ts'

type Encoder = {
  /** What it is described by. */
  of: Row | Fields
  /** What the text begins with; a comma continues an object that has members already. */
  start?: '{' | ',' | ''
  end?: '}' | ',' | ''
  /** It stands inside of a JSON string, and so do the texts it is given. */
  isInner?: boolean
}

const continued = { start: ',', end: '' } as const

/** By the name of the description. */
const encoders: Readonly<Record<string, Encoder>> = {
  tokenNames: { of: tokens.tokenNames, end: '' },
  tokenSupply: { of: tokens.tokenSupply, ...continued },
  tokenDay: { of: tokens.tokenDay, ...continued },
  tokenNow: { of: tokens.tokenNow, start: ',' },
  pairNames: { of: pairs.pairNames, end: '' },
  tokenPairDay: { of: pairs.tokenPairDay, ...continued },
  tokenPairFacts: { of: pairs.tokenPairFacts, ...continued },
  tokenPairNow: { of: pairs.tokenPairNow, start: ',' },
  pairDay: { of: pairs.pairDay, ...continued },
  pairNow: { of: pairs.pairNow, start: ',' },
  priceId: { of: tokens.priceId, end: ',' },
  priceDay: { of: tokens.priceDay, start: '', end: ',' },
  priceNow: { of: tokens.priceNow, start: '' },
  tokenSwap: { of: trades.tokenSwap, end: '' },
  ofPairSwap: { of: trades.ofPairSwap, start: ',' },
  profile: { of: trades.profile, isInner: true },
  txResult: { of: results.txResult },
  liquidity: { of: trades.liquidity },
  liqResult: { of: results.liqResult },
  klineEth: { of: klines.klineEth },
  klineUsdStart: { of: klines.klineUsdStart, end: '' },
  klineDay: { of: klines.klineDay, ...continued },
  klineUsdEnd: { of: klines.klineUsdEnd, start: ',' },
  klineUnits: { of: klines.klineUnits },
  klineResult: { of: results.klineResult },
  mainPair: { of: klines.mainPair },
  mainPairSwitch: { of: klines.mainPairSwitch },
  switchResult: { of: results.switchResult },
  pushedPrice: { of: market.pushedPrice },
  priceResult: { of: results.priceResult },
  trendingToken: { of: market.trendingToken },
  trendingResult: { of: results.trendingResult },
  newPair: { of: market.newPair },
  newPairsResult: { of: results.newPairsResult },
  walletResult: { of: results.walletResult },
  tradesResult: { of: results.tradesResult },
  launch: { of: market.launch },
  launchesResult: { of: results.launchesResult },
  topHolder: { of: market.topHolder },
  holders: { of: market.holders },
  holdersResult: { of: results.holdersResult },
  screenedRow: { of: screened.screenedRow },
  screenerResult: { of: results.screenerResult },
  heartbeat: { of: market.heartbeat },
}

export const rowTextsPath = resolve(import.meta.dirname, '../src/gateway/ground/rowTexts.ts')

/** Text of the generated source file. */
export function rowTexts(): string {
  const names = Object.keys(encoders).sort()
  return `import type {
${names.map((name) => `  ${name},`).join('\n')}
} from '@chaintape/protocol/descriptions'
import type { FieldTexts } from './fieldTexts.ts'

/**
 * Encoders of rows and of parts of rows, generated from the descriptions in packages/protocol by
 * \`npm run generate\`; do not edit. They concatenate the encoded fields: JSON.stringify would cost
 * several times as much, and each block encodes thousands of rows. A loop over field names at run
 * time would cost up to a fifth more than one template.
 */
${Object.entries(encoders)
  .map(([name, encoder]) => functionText(name, encoder))
  .join('')}`
}

function functionText(name: string, encoder: Encoder): string {
  const { of } = encoder
  const isRow = isRowOf(of)
  const fields = isRow ? of.fields : of
  const type = isRow ? `(typeof ${name})['fields']` : `typeof ${name}`
  return `
export function ${name}Text(t: FieldTexts<${type}>): string {
  return \`${templateOf(fields, encoder)}\`
}
`
}

function isRowOf(of: Row | Fields): of is Row {
  return typeof of.meaning === 'string'
}

function templateOf(fields: Fields, { start = '{', end = '}', isInner = false }: Encoder): string {
  const fixed = (text: string) => {
    const inJson = isInner ? JSON.stringify(text).slice(1, -1) : text
    return inJson.replace(/[\\`$]/g, '\\$&')
  }
  let hasMember = start === ','
  let template = start === ',' ? '' : start
  for (const [name, field] of Object.entries(fields)) {
    const open = `${hasMember ? ',' : ''}"${name}":`
    const { shape, isOptional } = field
    const quote = isBare(field) ? '"' : ''
    if (isOptional) {
      // Where nothing stands before it yet, the comma is its own.
      const close = hasMember ? quote : `${quote},`
      const text = `\`${fixed(open + quote)}\${t.${name}}${fixed(close)}\``
      template += `\${t.${name} === null ? '' : ${text}}`
      continue
    }
    template +=
      shape.is === 'constant'
        ? fixed(open + JSON.stringify(shape.value))
        : `${fixed(open + quote)}\${t.${name}}${fixed(quote)}`
    hasMember = true
  }
  return template + end
}

/** Is its text of letters, digits and points alone, or escaped already? */
function isBare({ shape, isNullable }: Field): boolean {
  if (isNullable) return false
  return (
    shape.is === 'decimal' ||
    shape.is === 'digits' ||
    shape.is === 'inner' ||
    (shape.is === 'words' && typeof shape.words[0] === 'string')
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(rowTextsPath, rowTexts())
  writeFileSync(resolve(import.meta.dirname, '../../../docs/reference/fields.md'), fieldDocs())
}
