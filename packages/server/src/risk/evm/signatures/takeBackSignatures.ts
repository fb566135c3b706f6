/** Ownership that was given up comes back. */
export const takeBackSignatures: readonly string[] = [
  'lock(uint256)',
  'reclaimOwnership()',
  'recoverOwnership()',
  'restoreOwnership()',
  'takeOwnership()',
  'unlock()',
]
