import { strict as assert } from 'node:assert'
import { keccak } from '../../../lib/bytes/keccak.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { BlockScope, LogDecoder, LogDecoders } from './blockScope.ts'
import { dataLength, readAddress, readUint } from './hexWords.ts'
import { swapEvent, tradeOf } from './poolEvents.ts'

/** Position of an event's argument. */
type Place = { topic: number } | { word: number }

/** Names of the arguments that describe a trade. */
type TradeNames = {
  /** The token that came in, and its amount. */
  sold: readonly [token: string, amount: string]
  bought: readonly [token: string, amount: string]
  sender: string
  /** @default the sender */
  to?: string
  /** Only events of this contract are decoded. @default any contract */
  contract?: string
}

/** A common address for the native coin, which is the zero address here. */
const nativeWord = `0x${'e'.repeat(40)}`
const native = `0x${'0'.repeat(40)}`

/**
 * Decodes a trade whose event names both tokens. `abi` is the event's declaration; each argument is
 * one word.
 */
export function namedTrade(abi: string, names: TradeNames): LogDecoders {
  const { hash, topics, words, places } = layoutOf(abi)
  const place = (name: string): Place => {
    const found = places.get(name)
    assert(found !== undefined, `${abi} has no argument ${name}`)
    return found
  }
  const wordOf = (name: string): number => {
    const at = place(name)
    assert('word' in at, `${name} of ${abi} is a topic: amounts are read from the data`)
    return at.word
  }
  const { sold, bought, sender: senderName, to: toName = senderName, contract } = names
  const [soldAt, boughtAt] = [place(sold[0]), place(bought[0])]
  const [soldWord, boughtWord] = [wordOf(sold[1]), wordOf(bought[1])]
  const [senderAt, toAt] = [place(senderName), place(toName)]
  const decode: LogDecoder = (log, scope) => {
    if (contract !== undefined && log.address !== contract) return true
    if (log.topics.length !== topics || log.data.length < dataLength(words)) return false
    const tokenIn = tokenAt(log, scope, soldAt)
    const tokenOut = tokenAt(log, scope, boughtAt)
    const sender = addressAt(log, scope, senderAt)
    const to = addressAt(log, scope, toAt)
    if (tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
    if (sender === null || to === null) return false
    const amountIn = readUint(log.data, soldWord)
    const trade = tradeOf([tokenIn, amountIn], [tokenOut, readUint(log.data, boughtWord)])
    scope.push(swapEvent(log, scope, { sender, to, ...trade }))
    return true
  }
  return { [hash]: decode }
}

/** Positions of an event's arguments, from its declaration. */
function layoutOf(abi: string) {
  const [, event, list] = /^(\w+)\((.*)\)$/.exec(abi)!
  const inputs = list!.split(', ').map((input) => input.split(' '))
  const places = new Map<string, Place>()
  let [topics, words] = [1, 0]
  for (const input of inputs) {
    const isTopic = input[1] === 'indexed'
    places.set(input.at(-1)!, isTopic ? { topic: topics } : { word: words })
    if (isTopic) topics += 1
    else words += 1
  }
  const hash = keccak(Buffer.from(`${event}(${inputs.map(([type]) => type).join(',')})`))
  return { hash, topics, words, places }
}

function addressAt(log: EvmLog, scope: BlockScope, place: Place): string | null {
  return 'topic' in place
    ? scope.addresses.ofTopic(log.topics[place.topic]!)
    : readAddress(log.data, place.word)
}

function tokenAt(log: EvmLog, scope: BlockScope, place: Place): string | null {
  const token = addressAt(log, scope, place)
  return token === nativeWord ? native : token
}
