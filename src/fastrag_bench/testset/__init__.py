"""Test sets: questions with evidence made from one's own documents, and the files that hold them."""

from fastrag_bench.testset.costs import CostCallbackHandler, TokenUsage, UsageRecorder
from fastrag_bench.testset.evaluation import EvaluationDataset
from fastrag_bench.testset.graph import KnowledgeGraph, Node, NodeType, Relationship
from fastrag_bench.testset.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from fastrag_bench.testset.packet import TestsetPacket
from fastrag_bench.testset.queries import Persona, PersonaList, QueryLength, QueryStyle
from fastrag_bench.testset.samples import BaseSample, MultiTurnSample, SingleTurnSample, TestsetSample
from fastrag_bench.testset.testset import Testset

__all__ = [
    "AIMessage",
    "BaseSample",
    "CostCallbackHandler",
    "EvaluationDataset",
    "HumanMessage",
    "KnowledgeGraph",
    "MultiTurnSample",
    "Node",
    "NodeType",
    "Persona",
    "PersonaList",
    "QueryLength",
    "QueryStyle",
    "Relationship",
    "SingleTurnSample",
    "Testset",
    "TestsetPacket",
    "TestsetSample",
    "TokenUsage",
    "ToolCall",
    "ToolMessage",
    "UsageRecorder",
]
