import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Deployment, profileOf } from '../../packages/devnet/src/contracts/deployment.ts'
import type { DevnetProfile } from '../../packages/devnet/src/profile.ts'

/** Of the local chain whose journal is in this data directory. */
export function readDevnetProfile(dataDir: string): DevnetProfile {
  const path = join(dataDir, 'devnet', 'journal')
  const line = readFileSync(path, 'latin1')
    .split('\n')
    .find((text) => text.startsWith('{"type":"deployment"'))
  if (line === undefined) throw new Error(`${path} does not tell of a deployment.`)
  const { deployment } = JSON.parse(line) as { deployment: Deployment }
  return profileOf(deployment)
}
