import { readFileSync } from 'node:fs';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { callsOf, lastWords, saveState, stateFile } from './agent.mjs';

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const turn = messages.filter((message) => AIMessage.isInstance(message)).length;
    const calls = callsOf(turn);
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    const text = lastWords(results.map((message) => message.text));
    const message = new AIMessage({ content: calls.length > 0 ? '' : text, tool_calls: calls });
    return { generations: [{ text, message }] };
  }
}

export const model = new ScriptedModel({});

/** Keeps the threads in one file. */
class FileSaver extends MemorySaver {
  constructor() {
    super();
    try {
      Object.assign(this, JSON.parse(readFileSync(stateFile, 'utf8'), toBytes));
    } catch {}
  }

  async put(...args) {
    return this.#save(await super.put(...args));
  }

  async putWrites(...args) {
    return this.#save(await super.putWrites(...args));
  }

  #save(result) {
    saveState({ storage: this.storage, writes: this.writes });
    return result;
  }
}

const toBytes = (_name, value) =>
  value && typeof value === 'object' && '0' in value && !Array.isArray(value) && typeof value[0] === 'number'
    ? Uint8Array.from(Object.values(value))
    : value;

export const checkpointer = new FileSaver();
