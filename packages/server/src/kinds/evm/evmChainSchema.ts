import { keccak } from '../../lib/bytes/keccak.ts'
import { type Static, Type } from '../../lib/schema.ts'
import { poolVenueNames } from '../../venues/evm/poolVenueNames.ts'
import {
  addressesField,
  addressField,
  commonChainFields,
  nativeField,
  rpcField,
  sinceBlockField,
} from '../commonChainFields.ts'
import { type ConfigAddress, type ConfigProblem, findDuplicates } from '../configProblem.ts'

const nodeChecksSchema = Type.Object(
  {
    bloom: nodeCheckField("Logs must match the block's bloom filter."),
    transactions: nodeCheckField(
      'Every log must name a transaction of its block. If off, trades of other transactions are dropped and counted.',
    ),
    log_indexes: nodeCheckField('Logs of a block must be numbered from 0 without gaps.'),
    header_hash: nodeCheckField(
      'The fields of a block must hash to its hash. On chains with a different hash, Chaintape detects this and skips the check.',
    ),
    receipts_root: nodeCheckField(
      'Receipts must match the root in their header, if they are fetched. On chains with a different root, Chaintape detects this and skips the check.',
    ),
  },
  {
    description:
      'Checks of node answers. Turn off a check that the chain breaks by design; `failed_check` in `/v2/status` names a check that every endpoint fails.',
    default: {},
  },
)

function nodeCheckField(description: string) {
  return Type.Boolean({ description, default: true })
}

const factorySchema = Type.Object({
  address: addressField('Factory contract.'),
  venue: Type.Enum([...poolVenueNames], {
    description: 'Venue whose events and view functions the factory has.',
  }),
  amm: Type.String({
    description: 'Name of the DEX in `amm` of answers.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 lowercase letters, digits and underscores',
  }),
  fee_ppm: Type.Optional(
    Type.Integer({
      description:
        'Swap fee of its pools in millionths, for pools that do not report their fee, such as Uniswap V2 and its forks. Default: the fee is unknown.',
      minimum: 0,
      maximum: 1_000_000,
    }),
  ),
  since_block: sinceBlockField,
})

/** Config of an EVM chain, read through JSON-RPC nodes. */
export const evmChainSchema = Type.Object({
  kind: Type.Literal('evm', { description: 'Family of the chain.', default: 'evm' }),
  rpc: rpcField,
  chain_id: Type.Optional(
    Type.Integer({
      description:
        'Expected answer of eth_chainId. An endpoint of another network is rejected before anything is stored. Without it no endpoint is rejected, and `/v2/supported_chains` has no id.',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  ),
  block_ms: Type.Optional(
    Type.Integer({
      description:
        'Usual time between two blocks; used by `chaintape chains` and for a `reorg_depth_max` in seconds.',
      minimum: 1,
      maximum: 3_600_000,
    }),
  ),
  log_range_blocks_max: Type.Optional(
    Type.Integer({
      description:
        'Blocks per request for logs, if the nodes of this chain allow a different number than `limits.log_range_blocks_max`. Chaintape detects smaller limits itself.',
      minimum: 1,
      maximum: 100_000,
    }),
  ),
  poll_ms: Type.Integer({
    description: 'Polling interval for the newest block, without WebSocket.',
    default: 1_000,
    minimum: 10,
    maximum: 60_000,
  }),
  logs: Type.Enum(['ranges', 'full_ranges', 'receipts'], {
    description:
      'How logs of old blocks are read. ranges: only matching logs, for many blocks at once. full_ranges: all logs, so that any missing log is noticed, for several times the bytes. receipts: block by block with eth_getBlockReceipts if a node supports it, also for new blocks.',
    default: 'ranges',
  }),
  log_sample_blocks: Type.Integer({
    description:
      'With ranges: one block in this many, and the last one with logs, is read whole and compared; 0: none.',
    default: 200,
    minimum: 0,
    maximum: 1_000_000,
  }),
  history_headers: Type.Enum(['sparse', 'all'], {
    description:
      'Which blocks of final history to fetch if `logs` is `ranges`. sparse: those with matching logs, the ends of ranges and one in 32; the logs are requested a second time, from another endpoint if there is one. all: every block.',
    default: 'sparse',
  }),
  node_checks: nodeChecksSchema,
  multicall3: addressField('Multicall3 contract.', '0xcA11bde05977b3631167028862bE2a173976CA11'),
  factories: Type.Array(factorySchema, {
    description: 'DEXes whose pools are trusted.',
    default: [],
    maxItems: 256,
  }),
  burn_addresses: addressesField('Holders counted as burnt; the zero address must come first.', [
    '0x0000000000000000000000000000000000000000',
    '0x000000000000000000000000000000000000dEaD',
    '0x0000000000000000000000000000000000000001',
    '0xdead000000000000000042069420694206942069',
  ]),
  ...commonChainFields,
  native: nativeField(
    Type.Optional(
      addressField(
        'The token that wraps the native coin. Without one, amounts of the coin are recorded under the zero address, also on launch platforms; list that address in `stables` if the coin is a dollar.',
      ),
    ),
  ),
})

export type EvmChainConfig = Static<typeof evmChainSchema>

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
