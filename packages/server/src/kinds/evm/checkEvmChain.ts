import { keccak } from '../../lib/bytes/keccak.ts'
import { type ConfigAddress, type ConfigProblem, findDuplicates } from '../configProblem.ts'
import type { EvmChainConfig } from './evmChainSchema.ts'

const zeroAddress = /^0x0{40}$/

/** Checks a chain's config for malformed addresses and for repeated addresses and endpoints. */
export function checkEvmChain(path: string, chain: EvmChainConfig): ConfigProblem[] {
  const lists = addressLists(path, chain)
  const problems = lists.flat().flatMap(checkAddress)
  for (const list of lists) problems.push(...duplicatesIn(list))
  if (!zeroAddress.test(chain.burn_addresses[0] ?? ''))
    problems.push({
      path: `${path}.burn_addresses[0]`,
      message: 'must be the zero address: transfers from it are mints',
    })
  const urls = chain.rpc.map(({ http_url }, i) => ({
    path: `${path}.rpc[${i}].http_url`,
    address: http_url,
  }))
  return [...problems, ...duplicatesIn(urls)]
}

const duplicatesIn = (list: readonly ConfigAddress[]) =>
  findDuplicates(list, (address) => address.toLowerCase())

/** Lists of addresses that must differ within each list. */
function addressLists(path: string, chain: EvmChainConfig): ConfigAddress[][] {
  const of = (key: 'stables' | 'quotes' | 'burn_addresses' | 'lockers' | 'out_of_circulation') =>
    chain[key].map((address, i) => ({ path: `${path}.${key}[${i}]`, address }))
  const factories = chain.factories.map(({ address }, i) => ({
    path: `${path}.factories[${i}].address`,
    address,
  }))
  const platforms = chain.launch_platforms.map(({ address }, i) => ({
    path: `${path}.launch_platforms[${i}].address`,
    address,
  }))
  const { wrapped_token: token } = chain.native
  const wrapped =
    token === undefined ? [] : [{ path: `${path}.native.wrapped_token`, address: token }]
  return [
    [...wrapped, ...of('stables')],
    of('quotes'),
    [...factories, ...platforms],
    // A holder counts once: as burnt, locked or out of circulation.
    [...of('burn_addresses'), ...of('lockers'), ...of('out_of_circulation')],
    [{ path: `${path}.multicall3`, address: chain.multicall3 }],
  ]
}

function checkAddress({ path, address }: ConfigAddress): ConfigProblem[] {
  const isShaped = /^0x[0-9a-fA-F]{40}$/.test(address)
  if (isShaped && hasRightCase(address)) return []
  const reason = isShaped ? 'has a wrong checksum: a digit may be mistyped' : 'is not an address'
  return [{ path, message: `${address.slice(0, 80)} ${reason}` }]
}

/**
 * Verifies the EIP-55 checksum in an address's capital letters; an address in lowercase has none.
 * Written here because viem takes half a second to load.
 */
function hasRightCase(address: string): boolean {
  const digits = address.slice(2)
  const small = digits.toLowerCase()
  if (digits === small) return true
  const hash = keccak(Buffer.from(small))
  const isCapital = (i: number) => Number.parseInt(hash[2 + i]!, 16) >= 8
  return [...small].every((digit, i) => digits[i] === (isCapital(i) ? digit.toUpperCase() : digit))
}
