/** The share one account pays is set apart from that of others. */
export const personalTaxSignatures: readonly string[] = [
  'setAccountFee(address,uint256)',
  'setAddressFee(address,bool,uint256)',
  'setBuyAddressFee(address,bool,uint256)',
  'setCustomTax(address,uint256)',
  'setFeeFor(address,uint256)',
  'setIndividualTax(address,uint256)',
  'setPersonalFee(address,uint256)',
  'setSellAddressFee(address,bool,uint256)',
  'setSpecialFee(address,uint256,uint256)',
  'setTaxFor(address,uint256)',
  'setUserFee(address,uint256)',
  'setUserTax(address,uint256)',
]
