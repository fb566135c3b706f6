// Offsets in hex with 0x. A word has 64 digits.
const wordDigits = 64

export function wordCount(data: string): number {
  return Math.floor((data.length - 2) / wordDigits)
}

/** Undefined if the answer is shorter. */
export function readWord(data: string, index: number): bigint | undefined {
  const start = 2 + index * wordDigits
  const digits = data.slice(start, start + wordDigits)
  return digits.length === wordDigits ? BigInt(`0x${digits}`) : undefined
}

/** Undefined if the topic is not an address: its upper bytes are not zero. */
export function readAddressTopic(topic: string | undefined): string | undefined {
  if (topic === undefined || !/^0x0{24}[0-9a-f]{40}$/i.test(topic)) return undefined
  return `0x${topic.slice(26).toLowerCase()}`
}

/** Undefined if the word is not an address, or is the zero address. */
export function readAddressWord(data: string, index: number): string | undefined {
  const start = 2 + index * wordDigits
  const address = readAddressTopic(`0x${data.slice(start, start + wordDigits)}`)
  return address === `0x${'0'.repeat(40)}` ? undefined : address
}

export function encodeCall(selector: string, ...args: readonly (string | number)[]): string {
  return selector + args.map(encodeArgument).join('')
}

function encodeArgument(argument: string | number): string {
  const digits = typeof argument === 'number' ? argument.toString(16) : argument.slice(2)
  return digits.padStart(wordDigits, '0')
}

export const selector = {
  token0: '0x0dfe1681',
  token1: '0xd21220a7',
  factory: '0xc45a0155',
  fee: '0xddca3f43',
  slot0: '0x3850c7bd',
  lmPool: '0x540d4918',
  getReserves: '0x0902f1ac',
  getPair: '0xe6a43905',
  getPool: '0x1698ee82',
  stable: '0x22be3de1',
  metadata: '0x392f37e9',
  isPair: '0xe5e31b13',
  isPool: '0x5b16ebb7',
  getFeeOf: '0xcc56b2c5',
  gauge: '0xa6f19c84',
  tickSpacing: '0xd0c93a7c',
  getPoolBySpacing: '0x28af8d0b',
  globalState: '0xe76c01e4',
  poolByPair: '0xd9a641e1',
  coins: '0xc6610657',
  coinsOld: '0x23746eb8',
  underlyingCoins: '0xb9947eb0',
  underlyingCoinsOld: '0xb739953e',
  basePool: '0x5d6362bb',
  basePoolConstant: '0x71511a5e',
  balances: '0x4903b0d1',
  balancesOld: '0x065a80d8',
  getCoins: '0x9ac90d3d',
  getPoolTokens: '0xf94d4668',
  getPoolTokensOf: '0xca4f2803',
  getPoolTokenInfo: '0x67e0e076',
  getPoolConfig: '0xf29486a1',
  getNormalizedWeights: '0xf89f27ed',
  getTokenX: '0x05e8746d',
  getTokenY: '0xda10610c',
  getBinStep: '0x17f11ecc',
  getActiveId: '0xdbe65edc',
  getFactory: '0x88cc58e4',
  getLbPair: '0x704037bd',
  tokenA: '0x0fc63d10',
  tokenB: '0x5f64b55b',
  isFactoryPool: '0x578eaca4',
  baseToken: '0x4a248d2a',
  quoteToken: '0xd4b97046',
  constantsView: '0xb7791bf2',
  poolKeys: '0x86b6be7d',
  poolIdToPoolKey: '0x0e2d484a',
  extsload: '0x1e2eaeaf',
  getSlot0: '0xc815641c',
  symbol: '0x95d89b41',
  name: '0x06fdde03',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  getEthBalance: '0x4d2301cc',
} as const

// More tokens than any pool has.
const itemsMax = 256n

/** Reads the dynamic list at a place of an answer. Null if none exists. */
export function readAnswerList<item>(
  answer: string,
  place: number,
  read: (answer: string, word: number) => item | undefined,
): item[] | null {
  const offset = readWord(answer, place)
  if (offset === undefined || offset % 32n !== 0n || offset > BigInt(answer.length)) return null
  const at = Number(offset / 32n)
  const count = readWord(answer, at)
  if (count === undefined || count > itemsMax) return null
  const items = Array.from({ length: Number(count) }, (_, i) => read(answer, at + 1 + i))
  return items.every((item) => item !== undefined) ? (items as item[]) : null
}

type FoundTokenPair = {
  tokens: { token0: string; token1: string; others: string[] }
  /** Indexes in the pool's list: of the two tokens, then of the others. */
  places: bigint[]
}

/** Finds two tokens in a pool's list. Null if one is not in it. */
export function findTokenPair(
  list: readonly string[] | null,
  couple: readonly [string, string] | undefined,
): FoundTokenPair | null {
  if (list === null) return null
  const [token0, token1] = couple ?? (list.length === 2 ? (list as [string, string]) : [])
  const [at0, at1] = [list.indexOf(token0 ?? ''), list.indexOf(token1 ?? '')]
  if (at0 < 0 || at1 < 0 || at0 === at1) return null
  const rest = list.map((_, at) => at).filter((at) => at !== at0 && at !== at1)
  return {
    tokens: { token0: token0!, token1: token1!, others: rest.map((at) => list[at]!) },
    places: [at0, at1, ...rest].map(BigInt),
  }
}
