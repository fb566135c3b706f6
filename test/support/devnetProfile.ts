import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DevnetProfile } from '../../packages/devnet/src/profile.ts'

/** The profile of the local chain that a service with this data directory serves. */
export function readDevnetProfile(dataDir: string): DevnetProfile {
  const text = readFileSync(join(dataDir, 'devnet', 'served.json'), 'utf8')
  return (JSON.parse(text) as { profile: DevnetProfile }).profile
}
