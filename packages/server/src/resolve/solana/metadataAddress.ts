import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { programAddressOf } from '../../lib/programAddress.ts'

export const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

const programBytes = decodeBase58(metadataProgram)!

/** Returns the address of the Metaplex account with a mint's name and symbol. */
export function metadataAddressOf(mint: string): string {
  const seeds = [Buffer.from('metadata'), programBytes, decodeBase58(mint)!]
  return programAddressOf(metadataProgram, seeds)
}
