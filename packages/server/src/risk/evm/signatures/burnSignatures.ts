/** Holders destroying their own, or what they were allowed to. */
export const burnSignatures: readonly string[] = ['burn(uint256)', 'burnFrom(address,uint256)']
