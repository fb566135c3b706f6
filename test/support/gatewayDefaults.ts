import { gatewayOptionsOf } from '../../packages/server/src/app/gatewayOptions.ts'
import { loadConfig } from '../../packages/server/src/config/load.ts'

/** What the gateway of a service without any configuration takes, on a free port. */
export const gatewayDefaults = { ...gatewayOptionsOf(loadConfig({ env: {} }).config), port: 0 }

/** The limits of WebSockets that a service without any configuration has. */
export const defaultSocketLimits = gatewayDefaults.socketLimits
