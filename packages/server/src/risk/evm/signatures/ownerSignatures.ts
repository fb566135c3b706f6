/** Who owns a contract, and passing that on in the open. */
export const ownerSignatures: readonly string[] = [
  '_owner()',
  'acceptOwnership()',
  'claimOwnership()',
  'getOwner()',
  'owner()',
  'pendingOwner()',
  'renounceOwnership()',
  'transferOwnership(address)',
]
