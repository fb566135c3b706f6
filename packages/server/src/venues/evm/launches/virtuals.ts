import { encodeCall, readAddressWord, selector } from '../asking/callWords.ts'
import { answered, callPool } from '../asking/inquiry.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import { pushLaunch } from '../decoding/curveEvents.ts'
import { dataLength, readAddress, readAddressTopic, readUint } from '../decoding/hexWords.ts'
import { swapEvent } from '../decoding/poolEvents.ts'
import { poolWithFirstLiquidity } from '../decoding/transactionFacts.ts'
import type { EvmVenue } from '../venue.ts'

const swapTopic = '0x298c349c742327269dc8de6ad66687767310c948ea309df826f5bd103e19d207'
/** PairCreated of Uniswap V2, which its factory emits, too. */
const pairCreatedTopic = '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9'

/** Token in and out, then quote in and out. */
const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(4)) return false
  const amount0 = readUint(log.data, 0) - readUint(log.data, 1)
  const amount1 = readUint(log.data, 2) - readUint(log.data, 3)
  const sender = scope.walletOr(log.address)
  scope.push(swapEvent(log, scope, { sender, to: sender, amount0, amount1 }))
  return true
}

/**
 * PairCreated in the same transaction names the quote. If it is missing, the token was launched
 * before.
 */
const decodeLaunched: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(1)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const pool = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || pool === null) return false
  const made = scope
    .transactionLogs()
    .find(
      ({ topics, data }) =>
        topics[0] === pairCreatedTopic && topics.length === 3 && readAddress(data, 0) === pool,
    )
  const ends = made?.topics.slice(1).map(readAddressTopic) ?? []
  const quote = ends.find((end) => end !== token)
  if (quote && ends.includes(token))
    pushLaunch(log, scope, { token, quote, creator: scope.walletOr(log.address), pool })
  return true
}

/**
 * The purchase that completes a curve ends it. The pair that emitted it is the curve, and the
 * receiver of the tokens is the pool.
 */
const decodeGraduated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 2 || log.data.length < dataLength(1)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const agentToken = readAddress(log.data, 0)
  if (token === null || agentToken === null) return false
  const last = scope.transactionLogs().findLast(({ topics }) => topics[0] === swapTopic)
  const pool = poolWithFirstLiquidity(scope, agentToken)
  if (last === undefined || pool === null) return true
  const { logIndex: index, transactionHash: txHash } = log
  const wallet = scope.walletOr(log.address)
  scope.push({ type: 'graduation', index, txHash, wallet, curve: last.address, pool })
  return true
}

/**
 * Virtuals: each token's curve is a pair contract that holds both tokens. The price is the ratio of
 * the amounts.
 */
export const virtuals: EvmVenue = {
  name: 'virtuals',
  kind: 'concentrated',
  events: {
    // Swap(uint256 amount0In, uint256 amount0Out, uint256 amount1In, uint256 amount1Out)
    [swapTopic]: decodeSwap,
    // Launched(address indexed token, address indexed pair, uint256), and those of later versions,
    // which tell more
    '0x714aa39317ad9a7a7a99db52b44490da5d068a0b2710fffb1a1282ad3cadae1f': decodeLaunched,
    '0xd113672859919fb75607f9e7df716114585bc03e2c4cb89ca2b2a7e8220c90bc': decodeLaunched,
    '0x6ed5dc54f1333f448f2cdf7a6efc675343f880035d6f647fb7f6e9cbf8959718': decodeLaunched,
    // PreLaunched(address indexed token, address indexed pair, uint256, uint256 initialPurchase),
    // and the later version's
    '0xac073481b1bc4233bf4afdfbb03f87ea97b0bb2c0305808d5614c824afb4e8b0': decodeLaunched,
    '0xb9ee8aa6d909a3efd0bf1b0bc2bde7f998f7ad30178b0d45f9227f5382cebc8f': decodeLaunched,
    // Graduated(address indexed token, address agentToken)
    '0x381d54fa425631e6266af114239150fae1d5db67bb65b4fa9ecc65013107e07e': decodeGraduated,
  },
  identity: {
    questions: { tokenA: callPool(selector.tokenA), tokenB: callPool(selector.tokenB) },
    marks: ['tokenA', 'tokenB'],
    read({ tokenA, tokenB }) {
      const [token0, token1] = [readAddressWord(tokenA!, 0), readAddressWord(tokenB!, 0)]
      if (!token0 || !token1 || token0 === token1) return answered(null)
      const ends = { token0, token1, factory: '', others: [] }
      return answered({ ...ends, feePpm: null, params: [] })
    },
    confirm: (pool, { factory, token0, token1 }) => [
      {
        call: { to: factory, data: encodeCall(selector.getPair, token0, token1) },
        isYes: (answer) => readAddressWord(answer, 0) === pool,
      },
    ],
  },
}
