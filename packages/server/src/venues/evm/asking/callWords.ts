// Fixed offsets in hex with 0x: a word is 64 digits.
const wordDigits = 64

export function wordCount(data: string): number {
  return Math.floor((data.length - 2) / wordDigits)
}

/** Undefined when the answer is shorter. */
export function readWord(data: string, index: number): bigint | undefined {
  const start = 2 + index * wordDigits
  const digits = data.slice(start, start + wordDigits)
  return digits.length === wordDigits ? BigInt(`0x${digits}`) : undefined
}

/** Undefined when the topic is not an address; dirty upper bytes mean it is something else. */
export function readAddressTopic(topic: string | undefined): string | undefined {
  if (topic === undefined || !/^0x0{24}[0-9a-f]{40}$/i.test(topic)) return undefined
  return `0x${topic.slice(26).toLowerCase()}`
}

/** Undefined when the word is not an address, or is the zero address. */
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
  symbol: '0x95d89b41',
  name: '0x06fdde03',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  getEthBalance: '0x4d2301cc',
} as const
