// Price batches of the gateway's cache against what a first version would do: a bounded Map of
// ready parts, JSON.parse of the body, and one concat. Both in one process, in turn, without HTTP.
import { strict as assert } from 'node:assert'
import { fileURLToPath } from 'node:url'
import type { GatewayChain } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import { encodedText } from '../../packages/server/src/gateway/ground/encodedJson.ts'
import { priceIdText } from '../../packages/server/src/gateway/ground/rowTexts.ts'
import { createBodyIdsReader } from '../../packages/server/src/gateway/rows/prices/bodyIds.ts'
import { PriceLineCache } from '../../packages/server/src/gateway/rows/prices/priceLineCache.ts'
import { priceTexts } from '../../packages/server/src/gateway/rows/prices/priceTexts.ts'
import { WindowInputs } from '../../packages/server/src/gateway/rows/windowInputs.ts'
import type { BenchRow } from '../benchTable.ts'
import { runInChildProcess } from '../runInChildProcess.ts'
import { type CallName, createCalls } from './calls.ts'
import { chainName, createRestMarket } from './market.ts'

const rounds = 8
const batchesPerRound = 500
const linesMax = 200_000
const addressOf = (id: string) => id.slice(0, id.lastIndexOf('-'))

type Line = {
  tokenId: number
  version: number
  tvlUsd: number
  inputs: WindowInputs
  lasting: Buffer
  moving: Buffer
}

class PlainPrices {
  private readonly lines = new Map<string, Line>()
  private readonly chain: GatewayChain

  constructor(chain: GatewayChain) {
    this.chain = chain
  }

  answer(body: Buffer, nowS: number): Buffer {
    const { token_ids, tvl_min } = JSON.parse(body.toString())
    const parts: Uint8Array[] = [Buffer.from('{')]
    for (const id of new Set<string>(token_ids)) {
      const line = this.lineOf(id, nowS)
      if (line.tvlUsd >= tvl_min) parts.push(line.lasting, line.moving)
    }
    const answer = Buffer.concat(parts)
    answer[answer.length - 1] = '}'.charCodeAt(0)
    return answer
  }

  private lineOf(id: string, nowS: number): Line {
    const { chain, lines } = this
    const version = chain.version()
    const held = lines.get(id)
    if (held?.version === version && nowS < held.inputs.validUntilS) return held
    const line = held ?? this.add(id)
    const { tokenId, inputs } = line
    if (!inputs.isCurrent(chain.reads, 'token', tokenId, nowS)) {
      const { value, validUntilS } = priceTexts.day(chain, tokenId, nowS)
      const key = JSON.stringify(id)
      line.lasting = Buffer.from(`${key}:${priceIdText({ token_id: key })}${value.text}`)
      inputs.validUntilS = validUntilS
    }
    const { text, tvlUsd } = priceTexts.worth(chain, tokenId, nowS)
    line.moving = Buffer.from(`${text},`)
    line.tvlUsd = tvlUsd
    line.version = version
    return line
  }

  private add(id: string): Line {
    const tokenId = this.chain.reads.findToken(addressOf(id))!
    const [lasting, moving] = [Buffer.alloc(0), Buffer.alloc(0)]
    const line = { tokenId, version: -1, tvlUsd: 0, inputs: new WindowInputs(), lasting, moving }
    if (this.lines.size === linesMax) this.lines.delete(this.lines.keys().next().value!)
    this.lines.set(id, line)
    return line
  }
}

type Micros = { ours: number; plain: number }

function measure(call: CallName, tokenCount: number, isMining: boolean): Micros {
  const { chain, orderSwaps } = createRestMarket(tokenCount, tokenCount)
  const nowS = () => chain.gatewayChain.reads.head()!.timeS
  const clock = { nowMs: () => nowS() * 1_000 }
  const chains = new Map([[chainName, chain.gatewayChain]])
  const cache = new PriceLineCache(clock, 2 ** 27)
  const readIds = createBodyIdsReader('token_ids', 200)
  const find = (id: string) => ({ chain: chain.gatewayChain, address: addressOf(id) })
  const answer = Buffer.alloc(2 ** 20)
  const plainPrices = new PlainPrices(chain.gatewayChain)
  const encode = (body: Buffer) => {
    const { ids } = readIds(body)!
    return cache.encodeBatch({ ids, tvlMinUsd: 0, volumeMinUsd: 0 }, chains, find)
  }
  const ways = {
    ours(body: Buffer) {
      const json = encode(body)
      if (typeof json !== 'string') json.write(answer, 0)
    },
    plain: (body: Buffer) => void plainPrices.answer(body, nowS()),
  }
  const next = createCalls(call, tokenCount)
  const bodies = Array.from({ length: 2_000 }, () => {
    const request = next()
    return request.subarray(request.indexOf('\r\n\r\n') + 4)
  })
  for (const body of bodies) {
    assert.equal(encodedText(encode(body)), plainPrices.answer(body, nowS()).toString())
    ways.ours(body)
  }
  const sums = { ours: 0, plain: 0 }
  for (let round = 0; round < rounds; round += 1)
    for (const way of ['ours', 'plain'] as const) {
      if (isMining) {
        orderSwaps(50)
        chain.mine(1)
      }
      const before = process.cpuUsage()
      for (let at = 0; at < batchesPerRound; at += 1)
        ways[way](bodies[(round * batchesPerRound + at) % bodies.length]!)
      const { user, system } = process.cpuUsage(before)
      sums[way] += user + system
    }
  const batches = rounds * batchesPerRound
  return { ours: sums.ours / batches, plain: sums.plain / batches }
}

const calls: readonly [metric: string, call: CallName, isMining: boolean][] = [
  ['by rank', 'priceBatchZipf', false],
  ['any tokens', 'priceBatch', false],
  ['by rank, a block every 500 batches', 'priceBatchZipf', true],
]

export async function plainPriceRows(tokenCount: number): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const [metric, call, isMining] of calls) {
    const args = [call, `${tokenCount}`, `${isMining}`]
    const { ours, plain } = await runInChildProcess<Micros>(fileURLToPath(import.meta.url), args)
    rows.push({
      metric: `price batch of 200, ${metric}, without HTTP: ours; Map, JSON.parse and concat`,
      value: `${ours.toFixed(0)}; ${plain.toFixed(0)} µs of CPU, ${(plain / ours).toFixed(2)}x`,
      goal: '1.5x',
    })
  }
  return rows
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [call, tokenCount, isMining] = process.argv.slice(2)
  process.send?.(measure(call as CallName, Number(tokenCount), isMining === 'true'))
}
