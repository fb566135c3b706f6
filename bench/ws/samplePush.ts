import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noFeedOptions } from '../../packages/server/src/gateway/feed/params/feedOptions.ts'
import { chainName, createBenchMarket, pairAddress, tokenAddress } from './benchMarket.ts'
import { workDir } from './compileC.ts'
import { pushMark } from './pushMark.ts'

/**
 * Swaps of a pair include the trader's balances. Swaps of a token do not and are a quarter shorter.
 */
export type SwapTopic = 'tx' | 'multi_tx'

const addressOf = (topic: SwapTopic, pair: number) =>
  topic === 'tx' ? pairAddress(pair) : tokenAddress(pair)

/** %d is replaced by the number of the socket. */
export function subscribeLine(topic: SwapTopic, pair: number, id: number | '%d' = 1): string {
  const params = JSON.stringify([topic, addressOf(topic, pair), chainName])
  return `{"jsonrpc":"2.0","method":"subscribe","params":${params},"id":${id}}`
}

/** Writes the feed's message of a swap to a file, so that every server sends the same message. */
export function writeSamplePush(topic: SwapTopic): { path: string; bytes: number } {
  const market = createBenchMarket(1)
  const path = join(workDir, `${topic}.json`)
  let bytes = 0
  const item = { key: `${topic}:${addressOf(topic, 0)}-${chainName}`, param: null }
  market.feed.add(item, {
    id: 1,
    isDetailed: false,
    options: noFeedOptions,
    socket: item,
    send({ plain }) {
      const payload = Buffer.concat([Buffer.from('{"id":1'), plain])
      bytes = payload.length
      writeFileSync(path, payload)
    },
  })
  market.commit([{ pair: 0, txHash: pushMark(1, 1n) }])
  return { path, bytes }
}
