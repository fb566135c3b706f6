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
    bloom: nodeCheckField("Logs agree with the block's filter."),
    transactions: nodeCheckField(
      'Every log names a transaction of its block; where this is off, trades of others are dropped and counted.',
    ),
    log_indexes: nodeCheckField('All logs of a block are numbered from 0 without a gap.'),
    header_hash: nodeCheckField(
      "A block's fields make up its hash; on chains that hash them in a way of their own this is noticed and off by itself.",
    ),
    receipts_root: nodeCheckField(
      'Receipts make up the root in their header, where they are fetched; noticed and off by itself in the same way.',
    ),
  },
  {
    description:
      'Checks of what nodes answer. Turn off the one that a chain breaks by design; `failed_check` in `/v2/status` names a check that every endpoint fails.',
    default: {},
  },
)

function nodeCheckField(description: string) {
  return Type.Boolean({ description, default: true })
}

const factorySchema = Type.Object({
  address: addressField('Factory contract.'),
  venue: Type.Enum([...poolVenueNames], {
    description: 'Whose events and view functions it speaks.',
  }),
  amm: Type.String({
    description: 'Word of the DEX in answers.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 small letters, digits and underscores',
  }),
  fee_ppm: Type.Optional(
    Type.Integer({
      description:
        'What a swap costs on its pools, in millionths, where these do not say so themselves, as those of Uniswap V2 and its forks; without it their fee is not known.',
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
        'What eth_chainId must answer: an endpoint of another network is refused before anything is stored. Without it none is, and `/v2/supported_chains` names no id.',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  ),
  block_ms: Type.Optional(
    Type.Integer({
      description:
        'Usual time between two blocks; for `chaintape chains` and a `reorg_depth_max` in seconds.',
      minimum: 1,
      maximum: 3_600_000,
    }),
  ),
  log_range_blocks_max: Type.Optional(
    Type.Integer({
      description:
        'Blocks in one request for logs, where the nodes of this chain bear others than `limits.log_range_blocks_max`. Smaller limits are found out by themselves.',
      minimum: 1,
      maximum: 100_000,
    }),
  ),
  poll_ms: Type.Integer({
    description: 'Time between two questions for the newest block, without WebSocket.',
    default: 1_000,
    minimum: 10,
    maximum: 60_000,
  }),
  logs: Type.Enum(['ranges', 'full_ranges', 'receipts'], {
    description:
      'How logs of past blocks are read. ranges: the needed ones of many blocks at once; full_ranges: all of them, so that every missing one is noticed, for several times the bytes; receipts: block by block with eth_getBlockReceipts where a node has it, new blocks too.',
    default: 'ranges',
  }),
  log_sample_blocks: Type.Integer({
    description:
      'With ranges, one block in so many, and the last with logs, is read whole and compared; 0: none.',
    default: 200,
    minimum: 0,
    maximum: 1_000_000,
  }),
  history_headers: Type.Enum(['sparse', 'all'], {
    description:
      'Which blocks of final history are fetched where logs come by `ranges`. sparse: those with needed logs, the ends of ranges and one in 32, while the logs are asked for a second time, of another endpoint where there is one; all: each of them.',
    default: 'sparse',
  }),
  node_checks: nodeChecksSchema,
  multicall3: addressField('Multicall3 contract.', '0xcA11bde05977b3631167028862bE2a173976CA11'),
  factories: Type.Array(factorySchema, {
    description: 'DEXes whose pools are trusted.',
    default: [],
    maxItems: 256,
  }),
  burn_addresses: addressesField('Holders counted as burnt; the zero address comes first.', [
    '0x0000000000000000000000000000000000000000',
    '0x000000000000000000000000000000000000dEaD',
    '0x0000000000000000000000000000000000000001',
    '0xdead000000000000000042069420694206942069',
  ]),
  ...commonChainFields,
  native: nativeField(
    Type.Optional(
      addressField(
        'The token that wraps it. Without one the coin is booked under the zero address, also by launch platforms; list that in `stables` where the coin is a dollar.',
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
