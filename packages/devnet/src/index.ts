import { fileURLToPath } from 'node:url'

export type { Deployment } from './contracts/deployment.ts'
export { createDevnet, type Devnet, type DevnetOptions } from './devnet.ts'
export { DevnetError } from './errors.ts'
export type { DevnetArguments, DevnetMessage } from './message.ts'
export type { DevnetProfile } from './profile.ts'

/** The program to start as a child process; see DevnetArguments and DevnetMessage. */
export const devnetMainPath: string = fileURLToPath(new URL('./main.js', import.meta.url))
