// Random arguments over the whole range of their types for the events of each venue, encoded by
// viem. The decoded amounts are compared with the arguments, event by event.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeVenueLog,
  emitter,
  eventOf,
  place,
  ref,
  wallet,
} from '../../../../../test/support/decodeVenueLog.ts'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { type EventArgs, eventArb, hexArb } from '../../../../../test/support/eventArb.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import { decodeEvmBlock } from './decodeEvmBlock.ts'

type Args = EventArgs

const low = (word: string) => BigInt(`0x${word.slice(34)}`)
const high = (word: string) => BigInt(word.slice(0, 34))
const sum = (words: string[], half: (word: string) => bigint) =>
  words.reduce((total, word) => total + half(word), 0n)

/** Input and output in the order of the pool's two tokens. */
const sides = (isFirst: boolean, into: bigint, out: bigint) =>
  isFirst ? { amount0: into, amount1: -out } : { amount0: -out, amount1: into }

const byTokens = (tokenIn: string, tokenOut: string, into: bigint, out: bigint) =>
  tokenIn === tokenOut
    ? null
    : {
        ...sides(tokenIn < tokenOut, into, out),
        couple: [tokenIn, tokenOut].sort(),
      }

const inAndOut = ({ tokenIn, tokenOut, amountIn, amountOut }: Args) =>
  byTokens(tokenIn, tokenOut, amountIn, amountOut)
const fromAndTo = ({ fromToken, toToken, fromAmount, toAmount }: Args) =>
  byTokens(fromToken, toToken, fromAmount, toAmount)
const sourceAndTarget = ({ sourceToken, targetToken, sourceAmount, targetAmount }: Args) =>
  byTokens(sourceToken, targetToken, sourceAmount, targetAmount)
const srcAndDest = ({ src, destToken, srcAmount, destAmount }: Args) =>
  byTokens(src, destToken, srcAmount, destAmount)

const exchange = ({ sold_id, bought_id, tokens_sold, tokens_bought }: Args) => {
  const [from, to] = [BigInt(sold_id), BigInt(bought_id)]
  if (from === to || from < 0n || to < 0n || from > 7n || to > 7n) return null
  const couple = [from, to].sort((a, b) => Number(a - b)).map((at) => `0x${at}`)
  return { pool: emitter, couple, ...sides(from < to, tokens_sold, tokens_bought) }
}

const fourAmounts = ({ amount0In, amount0Out, amount1In, amount1Out }: Args) => ({
  pool: emitter,
  amount0: amount0In - amount0Out,
  amount1: amount1In - amount1Out,
})

const managed = ({ id, amount0, amount1, sqrtPriceX96 }: Args) =>
  sqrtPriceX96 === 0n || [amount0, amount1].includes(-(2n ** 127n))
    ? null
    : { pool: id, manager: emitter, amount0: -amount0, amount1: -amount1 }

/**
 * A trade on a launch curve in the native coin: only the curve's token moved in the transaction.
 */
const onCurve = (token: string, isBuy: boolean, tokens: bigint, paid: bigint) => ({
  ...sides(!isBuy, isBuy ? paid : tokens, isBuy ? tokens : paid),
  curve: { platform: emitter, token0: token, token1: 'native' },
})

const fourMeme = (isBuy: boolean) => (args: Args) => ({
  ...onCurve(args.token, isBuy, args.amount, args.cost),
  sender: args.account,
  reserve0: args.offers,
  reserve1: args.funds,
})

const fourMemeV1 = (isBuy: boolean) => (args: Args) =>
  onCurve(args.token, isBuy, args.tokenAmount, args.etherAmount)

const flap = (isBuy: boolean) => (args: Args) => onCurve(args.token, isBuy, args.amount, args.eth)

/** The expected swap; null for arguments that no pool can emit. */
const swaps: Partial<Record<keyof typeof venueAbi, (args: Args) => object | null>> = {
  swapSolidly: fourAmounts,
  swapV4: managed,
  swapInfinityCl: managed,
  swapInfinityBin: ({ id, amount0, amount1 }) =>
    [amount0, amount1].includes(-(2n ** 127n))
      ? null
      : { pool: id, manager: emitter, amount0: -amount0, amount1: -amount1 },
  exchangeCurve: exchange,
  exchangeUnderlyingCurve: exchange,
  exchangeCurveCrypto: exchange,
  exchangeCurveNg: exchange,
  swapBalancerV2({ poolId: pool, tokenIn, tokenOut, amountIn, amountOut }) {
    const trade = byTokens(tokenIn, tokenOut, amountIn, amountOut)
    return trade && { pool, manager: emitter, ...trade }
  },
  swapBalancerV3({ pool, tokenIn, tokenOut, amountIn, amountOut }) {
    const trade = byTokens(tokenIn, tokenOut, amountIn, amountOut)
    return trade && { pool, manager: emitter, ...trade }
  },
  swapLiquidityBook: ({ id, amountsIn, amountsOut }) => ({
    amount0: low(amountsIn) - low(amountsOut),
    amount1: high(amountsIn) - high(amountsOut),
    told: [BigInt(id)],
  }),
  swapLiquidityBookV20: ({ id, swapForY, amountIn, amountOut, fees }) =>
    id >= 2n ** 24n ? null : { ...sides(swapForY, amountIn + fees, amountOut), told: [id] },
  swapDodo: fromAndTo,
  swapMaverickV2: ({ params, amountIn, amountOut }) => sides(params.tokenAIn, amountIn, amountOut),
  swapFluid: ({ swap0to1, amountIn, amountOut }) => sides(swap0to1, amountIn, amountOut),
  swapWooFi: fromAndTo,
  swapWooFiV1: fromAndTo,
  swapWombat: fromAndTo,
  swapGmx: ({ tokenIn, tokenOut, amountIn, amountOutAfterFees }) =>
    byTokens(tokenIn, tokenOut, amountIn, amountOutAfterFees),
  tradedBancorV3: sourceAndTarget,
  tradedCarbon: sourceAndTarget,
  swappedMooniswap: ({ srcToken, dstToken, amount, result }) =>
    byTokens(srcToken, dstToken, amount, result),
  swappedMooniswapV1: ({ src, dst, amount, result }) => byTokens(src, dst, amount, result),
  swapSparkPsm: ({ assetIn, assetOut, amountIn, amountOut }) =>
    byTokens(assetIn, assetOut, amountIn, amountOut),
  tradeKyberReserve: srcAndDest,
  tradeKyberReserveV2: srcAndDest,
  swapAlgebraIntegral: ({ amount0, amount1, price }) =>
    price === 0n ? null : { pool: emitter, amount0, amount1, venues: ['algebra'] },
  swappedClipper: ({ inAsset, outAsset, inAmount, outAmount }) =>
    byTokens(inAsset, outAsset, inAmount, outAmount),
  swapTrident: inAndOut,
  swapMento: inAndOut,
  conversionBancor: ({ _fromToken, _toToken, _amount, _return }) =>
    byTokens(_fromToken, _toToken, _amount, _return),
  swapAmbient: ({ base, quote, baseFlow, quoteFlow }) =>
    byTokens(base, quote, baseFlow, 0n - quoteFlow),
  swapKyberClassic: fourAmounts,
  swapEulerSwap: fourAmounts,
  swapEulerSwapV2: fourAmounts,
  swapSmarDex: ({ amount0, amount1 }) => ({ pool: emitter, amount0, amount1 }),
  swapIziSwap: ({ tokenX, tokenY, sellXEarnY, amountX, amountY }) =>
    sellXEarnY
      ? byTokens(tokenX, tokenY, amountX, amountY)
      : byTokens(tokenY, tokenX, amountY, amountX),
  swapMaverickV1: ({ tokenAIn, amountIn, amountOut }) => sides(tokenAIn, amountIn, amountOut),
  sellBaseDodoV1: ({ payBase, receiveQuote }) => sides(true, payBase, receiveQuote),
  buyBaseDodoV1: ({ receiveBase, payQuote }) => sides(false, payQuote, receiveBase),
  swapSaddle: ({ soldId, boughtId, tokensSold, tokensBought }) =>
    exchange({
      sold_id: soldId,
      bought_id: boughtId,
      tokens_sold: tokensSold,
      tokens_bought: tokensBought,
    }),
  tokenPurchaseUniswapV1: ({ eth_sold, tokens_bought }) => sides(true, eth_sold, tokens_bought),
  ethPurchaseUniswapV1: ({ tokens_sold, eth_bought }) => sides(false, tokens_sold, eth_bought),
  swapBalancerV1: ({ tokenIn, tokenOut, tokenAmountIn, tokenAmountOut }) =>
    byTokens(tokenIn, tokenOut, tokenAmountIn, tokenAmountOut),
  purchaseFourMeme: fourMeme(true),
  saleFourMeme: fourMeme(false),
  purchaseFourMemeV1: fourMemeV1(true),
  saleFourMemeV1: fourMemeV1(false),
  purchaseFourMemeV1Fee: fourMemeV1(true),
  saleFourMemeV1Fee: fourMemeV1(false),
  boughtFlap: flap(true),
  soldFlap: flap(false),
  buyNadFun: ({ token, amountIn, amountOut }) => onCurve(token, true, amountOut, amountIn),
  sellNadFun: ({ token, amountIn, amountOut }) => onCurve(token, false, amountIn, amountOut),
  swapVirtuals: fourAmounts,
  buyPons: ({ quoteIn, tokensOut, buyer, recipient }) => ({
    ...sides(false, quoteIn, tokensOut),
    pool: emitter,
    sender: buyer,
    to: recipient,
  }),
  sellPons: ({ tokensIn, quoteOut }) => ({ ...sides(true, tokensIn, quoteOut), pool: emitter }),
  boughtBags: ({ netQuoteIn, feeQuote, tokensOut }) =>
    sides(false, netQuoteIn + feeQuote, tokensOut),
  soldBags: ({ tokensIn, netQuoteToRecipient }) => sides(true, tokensIn, netQuoteToRecipient),
}

const launchOf = (token: string, creator: string, ends = {}) => ({
  platform: emitter,
  token0: token,
  token1: 'native',
  creator,
  ...ends,
})
const launchIn = (token: string, creator: string, pool: string) => ({
  platform: emitter,
  token0: token,
  creator,
  pool,
  isInPool: true,
})

/** The expected launch; undefined if other logs name the pool. */
const launches: Partial<Record<keyof typeof venueAbi, (args: Args) => object | undefined>> = {
  createFourMeme: ({ token, creator }) => launchOf(token, creator),
  createFourMemeV1: ({ token, creator }) => launchOf(token, creator),
  createFlap: ({ token, creator }) => launchOf(token, creator),
  createNadFun: ({ token, creator }) => launchOf(token, creator),
  launchedPons: ({ token, curve: pool, deployer, pairToken: token1 }) =>
    launchOf(token, deployer, { pool, token1 }),
  createdBags: ({ token, creator, quoteAsset: token1, curve: pool }) =>
    launchOf(token, creator, { pool, token1 }),
  createdBagsV2: ({ token, creator, curve: pool }) => launchOf(token, creator, { pool }),
  launchedVirtuals: () => undefined,
  preLaunchedVirtualsV5: () => undefined,
  createClankerV4: ({ tokenAddress, tokenAdmin, poolId }) =>
    launchIn(tokenAddress, tokenAdmin, poolId),
  createClankerV3: () => undefined,
  createZora: ({ coin, caller, pool }) => launchIn(coin, caller, pool),
  createZoraV4: ({ coin, caller, poolKeyHash }) => launchIn(coin, caller, poolKeyHash),
  createZoraCreator: ({ coin, caller, poolKeyHash }) => launchIn(coin, caller, poolKeyHash),
  createZoraTrend: ({ coin, caller, poolKeyHash }) => launchIn(coin, caller, poolKeyHash),
}

const bins = (kind: 'add' | 'remove', words: string[]) => ({
  kind,
  amount0: sum(words, low),
  amount1: sum(words, high),
})

const listed = (kind: 'add' | 'remove', pool: string, amounts: bigint[]) =>
  amounts.length === 2 ? { kind, pool, amount0: amounts[0], amount1: amounts[1] } : undefined

const curveAdded = ({ token_amounts }: Args) => listed('add', emitter, token_amounts)
const curveRemoved = ({ token_amounts }: Args) => listed('remove', emitter, token_amounts)

/** The expected liquidity change; undefined if the event decodes to nothing. */
const liquidity: Partial<Record<keyof typeof venueAbi, (args: Args) => object | null | undefined>> =
  {
    burnSolidly: ({ amount0, amount1 }) => ({ kind: 'remove', amount0, amount1 }),
    modifyLiquidityV4({ id, tickLower, tickUpper, liquidityDelta }) {
      if (tickLower >= tickUpper) return null
      if (liquidityDelta < -(2n ** 127n) || liquidityDelta >= 2n ** 127n) return null
      if (liquidityDelta === 0n) return undefined
      const told = [BigInt(tickLower), BigInt(tickUpper), liquidityDelta]
      return { kind: liquidityDelta > 0n ? 'add' : 'remove', pool: id, told }
    },
    donateV4: ({ id, amount0, amount1 }) =>
      amount0 || amount1 ? { kind: 'add', pool: id, amount0, amount1 } : undefined,
    mintInfinityBin: ({ amounts }) => bins('add', amounts),
    burnInfinityBin: ({ amounts }) => bins('remove', amounts),
    depositedLiquidityBook: ({ amounts }) => bins('add', amounts),
    withdrawnLiquidityBook: ({ amounts }) => bins('remove', amounts),
    addedCurve: curveAdded,
    addedCurveNg: curveAdded,
    addedCurveCrypto: curveAdded,
    addedCurveTwocrypto: curveAdded,
    removedCurve: curveRemoved,
    removedCurveNg: curveRemoved,
    removedCurveCrypto: curveRemoved,
    removedCurveUneven: curveRemoved,
    removedCurveNgUneven: curveRemoved,
    liquidityAddedBalancerV3: ({ pool, amountsAddedRaw }) => listed('add', pool, amountsAddedRaw),
    liquidityRemovedBalancerV3: ({ pool, amountsRemovedRaw }) =>
      listed('remove', pool, amountsRemovedRaw),
  }

const ends = ({ token0, token1, pool }: Args) => ({ factory: emitter, token0, token1, pool })

/** The expected pool creation. */
const creations: typeof liquidity = {
  pairCreatedSolidly: (args) => ends({ ...args, pool: args.pair }),
  poolCreatedSolidly: ends,
  poolCreatedSlipstream: (args) =>
    args.tickSpacing > 0 ? { ...ends(args), params: [BigInt(args.tickSpacing)] } : null,
  poolAlgebra: ends,
  customPoolAlgebra: ends,
  pairCreatedLiquidityBook: ({ tokenX, tokenY, LBPair, binStep }) =>
    binStep === 0n || binStep >= 2n ** 16n
      ? null
      : { ...ends({ token0: tokenX, token1: tokenY, pool: LBPair }), params: [binStep] },
  initializeV4({ id, currency0, currency1, fee, tickSpacing, hooks, sqrtPriceX96 }) {
    if (currency0 >= currency1 || sqrtPriceX96 === 0n || tickSpacing <= 0) return null
    const params = [BigInt(fee), BigInt(tickSpacing), BigInt(hooks)]
    return { ...ends({ token0: currency0, token1: currency1, pool: id }), params }
  },
  twocryptoDeployedCurve: ({ pool, coins: [token0, token1] }) =>
    token0 === token1 ? null : ends({ token0, token1, pool }),
  tokensRegisteredBalancerV2({ poolId, tokens }) {
    if (tokens.length !== 2) return undefined
    const [token0, token1] = tokens
    return token0 < token1 ? ends({ token0, token1, pool: poolId }) : null
  },
  poolRegisteredBalancerV3({ pool, tokenConfig, swapFeePercentage }) {
    if (swapFeePercentage > 10n ** 18n) return null
    if (tokenConfig.length !== 2) return undefined
    const [token0, token1] = tokenConfig.map(({ token }: Args) => token)
    return token0 < token1 ? ends({ token0, token1, pool }) : null
  },
}

function check(name: keyof typeof venueAbi, type: string, expected: (args: Args) => unknown) {
  const event = eventOf(name)
  fc.assert(
    fc.property(eventArb(event), (args) => {
      const { events, counts } = decodeVenueLog(name, encodeLog(event, args, place))
      const wanted = expected(args)
      const told = events.filter((one) => one.type === type)
      expect(told).toMatchObject(wanted ? [{ wallet, ...wanted }] : [])
      expect(counts).toEqual({ malformed: wanted === null ? 1 : 0, unknownSenders: 0, spoofed: 0 })
    }),
    { numRuns: propertyRuns(200, { isCheap: true }) },
  )
}

const entries = <value>(table: Partial<Record<keyof typeof venueAbi, value>>) =>
  Object.entries(table) as [keyof typeof venueAbi, value][]

test.each(entries(swaps))('behavior: %s is what its pool got and gave', (name, expected) => {
  check(name, 'swap', expected)
})

test.each(entries(launches))('behavior: %s launches a token', (name, expected) => {
  check(name, 'launch', expected)
})

test.each(entries(liquidity))('behavior: %s is what was put in or taken out', (name, expected) => {
  check(name, 'liquidity', expected)
})

test.each(entries(creations))('behavior: %s makes a pool', (name, expected) => {
  check(name, 'pool', expected)
})

test('behavior: a change of balances in a vault is one flow for each token that moved', () => {
  const arb = fc.array(
    fc.record({
      token: hexArb(20),
      delta: fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
      fee: fc.bigInt({ min: 0n, max: 2n ** 100n }),
    }),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(arb, hexArb(32), (items, poolId) => {
      const args = {
        poolId,
        liquidityProvider: wallet,
        tokens: items.map(({ token }) => token),
        deltas: items.map(({ delta }) => delta),
        protocolFeeAmounts: items.map(({ fee }) => fee),
      }
      const logs = [encodeLog(venueAbi.balanceChangedBalancerV2, args, place)]
      const managers = new Map([[emitter, 'balancerV2']])
      const { events } = decodeEvmBlock({ ref, logs, senders: new Map() }, { managers })
      const wanted = items
        .map(({ token, delta, fee }) => ({
          type: 'flow',
          pool: poolId,
          token,
          amount: delta - fee,
        }))
        .filter(({ amount }) => amount !== 0n)
      expect(events).toMatchObject(wanted)
    }),
  )
})
