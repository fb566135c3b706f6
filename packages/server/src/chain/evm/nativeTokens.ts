/**
 * A token standard implemented by the chain's nodes. The addresses of such tokens have no code
 * except the byte 0xef, which no contract can be deployed with (EIP-3541), but they answer calls.
 */
export type NativeStandard = {
  name: 'B20' | 'CAS20'
  /** First ten bytes of the standard's token addresses. */
  prefix: string
  factory: string
  /** Creation event of the factory; its first indexed argument is the new token. */
  createdTopic: string
  policyRegistry: string
  /** Policy that lists the accounts whose balance a seize role can take. */
  seizePolicy: string
}

/**
 * B20 of Base: docs.base.org/specifications/b20, github.com/base/base-std (StdPrecompiles.sol,
 * B20Constants.sol). CAS20 of BSC: BEP-702, github.com/bnb-chain/bsc (core/vm/cas20.go,
 * cas20_factory.go).
 */
export const nativeStandards: readonly NativeStandard[] = [
  {
    name: 'B20',
    prefix: '0xb2000000000000000000',
    factory: '0xb20f000000000000000000000000000000000000',
    createdTopic: '0xfd9bf2730513a1709722ff379a0844dfd8f997d600693c2bcc659e188bbdba0d',
    policyRegistry: '0x8453000000000000000000000000000000000002',
    seizePolicy: 'SEIZE_EXEMPT_POLICY',
  },
  {
    name: 'CAS20',
    prefix: '0xca520000000000000000',
    factory: '0xca5f000000000000000000000000000000000000',
    createdTopic: '0xc0c726edbec4bf665160de37131bd2309460ebd49941b2e3b6704a74c7900365',
    policyRegistry: '0x7020000000000000000000000000000000000002',
    seizePolicy: 'SEIZE_HOLDER_POLICY',
  },
]

/**
 * Selectors of both standards, besides ERC-20 and AccessControl. `policyAdmin` is sent to the
 * registry.
 */
export const nativeSelector = {
  supplyCap: '0x8f770ad0',
  policyId: '0xdb3de624',
  policyAdmin: '0x09dd0a47',
  isPaused: '0xbc61e733',
} as const

/** Selector of `uiMultiplier()` of ERC-8056, which tokens with bytecode may also have. */
export const uiMultiplierSelector = '0xa60bf13d'

/** Roles and policies. An id is the hash of its name; DEFAULT_ADMIN_ROLE is zero. */
export const nativeRoles = [
  ...['MINT_ROLE', 'BURN_ROLE', 'BURN_BLOCKED_ROLE', 'SEIZE_ROLE'],
  ...['PAUSE_ROLE', 'UNPAUSE_ROLE', 'METADATA_ROLE', 'OPERATOR_ROLE'],
] as const
export const seizeRoles: readonly string[] = ['SEIZE_ROLE', 'BURN_BLOCKED_ROLE']
export const transferPolicies = [
  'TRANSFER_SENDER_POLICY',
  'TRANSFER_RECEIVER_POLICY',
  'TRANSFER_EXECUTOR_POLICY',
] as const

/**
 * Policy types by the highest byte of a policy's id, without its first bit, which inverts the
 * policy.
 */
export const policyTypes = ['blocklist', 'allowlist', 'union', 'intersect'] as const
/** A cap this large means no cap. */
export const supplyCapMax = 2n ** 128n - 1n
export const pausedTransfers = 0n

/** Returns the standard that an address belongs to; null for an ordinary address. */
export function nativeStandardOf(address: string): NativeStandard | null {
  return nativeStandards.find(({ prefix }) => address.toLowerCase().startsWith(prefix)) ?? null
}

/**
 * Returns true if the EVM cannot run the code: it is empty or the byte that marks a native token.
 */
export function isUnrunnable(code: string): boolean {
  return code === '0x' || code === '0xef'
}
