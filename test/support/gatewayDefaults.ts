import { gatewayOptionsOf } from '../../packages/server/src/app/roles/gatewayOptions.ts'
import { loadConfig } from '../../packages/server/src/config/load.ts'

/** Gateway options of a service without configuration, on a free port. */
export const gatewayDefaults = { ...gatewayOptionsOf(loadConfig({ env: {} }).config), port: 0 }

/** WebSocket limits of a service without configuration. */
export const defaultSocketLimits = gatewayDefaults.socketLimits
