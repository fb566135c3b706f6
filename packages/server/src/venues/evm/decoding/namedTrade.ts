import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { BlockScope, LogDecoder } from './blockScope.ts'
import { dataLength, readAddress, readUint } from './hexWords.ts'
import { swapEvent, tradeOf } from './swapEvent.ts'

/** Where an argument of an event stands. */
type Place = { topic: number } | { word: number }

type NamedTrade = {
  /** How many topics such an event has, and how many words at least. */
  topics: number
  words: number
  tokenIn: Place
  tokenOut: Place
  /** The words of what came in and of what went out. */
  amountIn: number
  amountOut: number
  sender: Place
  /** @default the sender */
  to?: Place | undefined
}

/** What many call the native coin; ours is the zero address. */
const nativeWord = `0x${'e'.repeat(40)}`
const native = `0x${'0'.repeat(40)}`

/** Reads a trade whose event names both tokens. */
export function namedTradeDecoder(shape: NamedTrade): LogDecoder {
  const { topics, words, amountIn, amountOut, to: toPlace = shape.sender } = shape
  return (log, scope) => {
    if (log.topics.length !== topics || log.data.length < dataLength(words)) return false
    const tokenIn = tokenAt(log, scope, shape.tokenIn)
    const tokenOut = tokenAt(log, scope, shape.tokenOut)
    const sender = addressAt(log, scope, shape.sender)
    const to = addressAt(log, scope, toPlace)
    if (tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
    if (sender === null || to === null) return false
    const into = readUint(log.data, amountIn)
    const trade = tradeOf([tokenIn, into], [tokenOut, readUint(log.data, amountOut)])
    scope.push(swapEvent(log, scope, { sender, to, ...trade }))
    return true
  }
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
