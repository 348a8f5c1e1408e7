from pydantic import BaseModel


class RankRequest(BaseModel):
    query: str
    documents: list[str]
